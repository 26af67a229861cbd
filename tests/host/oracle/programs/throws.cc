// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions through destructors, in threads: stops in the unwinder of libgcc,
 * in landing pads and in clean-ups.
 */
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static volatile unsigned long sink;

struct Guard {
	std::string text;

	explicit Guard(unsigned int n) : text(std::to_string(n) + std::string(n % 40, 'x'))
	{
	}
	~Guard()
	{
		sink += text.size();
	}
};

__attribute__((noinline)) static unsigned long deep(unsigned int n, unsigned int throw_at)
{
	Guard guard(n);

	if (n == throw_at)
		throw std::runtime_error(guard.text);
	return n > 40 ? n : deep(n + 1, throw_at) + guard.text.size();
}

struct Base {
	virtual ~Base() = default;
	virtual unsigned long go(unsigned int n) = 0;
};

struct Derived : Base {
	std::map<unsigned int, std::string> seen;

	unsigned long go(unsigned int n) override
	{
		try {
			return deep(0, n % 60);
		} catch (const std::exception &e) {
			seen[n % 100] = e.what();
		}
		return seen.size();
	}
};

static void run()
{
	std::unique_ptr<Base> base = std::make_unique<Derived>();

	for (unsigned int n = 0; ; n++)
		sink += base->go(n);
}

int main()
{
	std::thread other(run);

	run();
}
