# SPDX-License-Identifier: GPL-2.0
# What a tab at the end of a line offers in zsh.
#
# usage: zsh -f complete.zsh SCRIPT LINE...
#
# Prints each line behind "== ", and what the completion code of SCRIPT adds for it: in an
# interactive shell at a pseudo-terminal, whose compadd writes down what matches.
zmodload zsh/zpty
dir=$(mktemp -d)
cat >$dir/rc <<'RC'
autoload -Uz compinit
compinit -u -D
compadd() {
	local -a found
	builtin compadd -O found "$@"
	print -l -- $found >>$DIR/found
	builtin compadd "$@"
}
report() { : >$DIR/done }
zle -N report
bindkey '^Xr' report
LISTMAX=1000000
RC
# Reads what the shell prints, so that it goes on, until it has written "done".
await() {
	while [[ ! -e $dir/done ]]; do
		zpty -r -t z >/dev/null || sleep 0.05
	done
	rm -f $dir/done
}
zpty z "DIR=$dir zsh -f -i"
zpty -w z "source $dir/rc; source $1; : >$dir/done"
await
for line in "${@[2,-1]}"; do
	rm -f $dir/found
	zpty -w -n z $'\C-u'"$line"$'\t\C-xr'
	await
	print -r -- "== $line"
	[[ ! -e $dir/found ]] || sort -u $dir/found
done
zpty -d z
rm -rf $dir
