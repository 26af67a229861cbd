// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for bash.
 */
#include <stdio.h>

#include "cmd/common/options.h"
#include "cmd/completion/completion.h"
#include "cmd/completion/shell.h"

static const char bash_head[] =
	"# bash completion of wallprof " WP_VERSION ", as 'wallprof --completion bash' prints it.\n"
	"# Whether the next word is the value of this one, which can be several options: -ap.\n"
	"_wallprof_takes()\n"
	"{\n"
	"\tlocal all=\" $values $pids $users $events \" i\n"
	"\t[[ $1 = -[!-]* ]] || { [[ $1 = --* && $all = *\" $1 \"* ]]; return; }\n"
	"\tfor ((i = 1; i < ${#1}; i++)); do\n"
	"\t\t[[ $all != *\" -${1:i:1} \"* ]] || { ((i == ${#1} - 1)); return; }\n"
	"\tdone\n"
	"\treturn 1\n"
	"}\n"
	"# The index of the first word that is no option and no value of one.\n"
	"_wallprof_rest()\n"
	"{\n"
	"\tlocal i word\n"
	"\tfor ((i = at; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\t[[ $word != -- ]] || { echo $((i + 1)); return; }\n"
	"\t\t[[ $word = -* ]] || { echo $i; return; }\n"
	"\t\tif [[ ${COMP_WORDS[i + 1]-} = '=' ]]; then\n"
	"\t\t\t((i += 2))\n"
	"\t\telif _wallprof_takes \"$word\"; then\n"
	"\t\t\t((i++))\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t[[ $i -gt $COMP_CWORD || $cur = -* ]] || echo $i\n"
	"}\n"
	"_wallprof_program()\n"
	"{\n"
	"\tif declare -F _comp_command_offset >/dev/null; then\n"
	"\t\t_comp_command_offset \"$1\"\n"
	"\telif declare -F _command_offset >/dev/null; then\n"
	"\t\t_command_offset \"$1\"\n"
	"\telif (($1 == COMP_CWORD)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	"\telse\n"
	"\t\tcompopt -o default\n"
	"\tfi\n"
	"}\n"
	"# Bash splits words at colons, too: names of tracepoints.\n"
	"_wallprof()\n"
	"{\n"
	"\tlocal words=() cword=0 i\n"
	"\tfor ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do\n"
	"\t\tif ((i > 1)) && [[ ${COMP_WORDS[i]} = : || (${COMP_WORDS[i - 1]} = : && -n ${COMP_WORDS[i]}) ]]; then\n"
	"\t\t\twords[-1]+=${COMP_WORDS[i]}\n"
	"\t\telse\n"
	"\t\t\twords+=(\"${COMP_WORDS[i]}\")\n"
	"\t\tfi\n"
	"\t\t((i > COMP_CWORD)) || cword=$((${#words[@]} - 1))\n"
	"\tdone\n"
	"\tlocal COMP_WORDS=(\"${words[@]}\") COMP_CWORD=$cword\n"
	"\t_wallprof_complete\n"
	"}\n"
	"_wallprof_complete()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command=${COMP_WORDS[1]-} at=2 first='' rest words='' values='' pids='' users='' events='' runs=''\n"
	"\tCOMPREPLY=()\n"
	"\t[[ $command != sched || $COMP_CWORD -lt 3 ]] || { command+=\" ${COMP_WORDS[2]}\"; at=3; }\n"
	"\t((COMP_CWORD > 1)) || command=''\n"
	"\tcase $command in\n";

static const char bash_tail[] =
	"\tesac\n"
	"\tif [[ $cur = '=' ]]; then\n"
	"\t\tcur=''\n"
	"\telif [[ $option = '=' ]]; then\n"
	"\t\toption=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\trest=$(_wallprof_rest)\n"
	"\tif [[ -n $first ]]; then\n"
	"\t\t[[ $cur = -* ]] || first='-*'\n"
	"\t\t# Options are offered when one begins.\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -X \"${first#yes}\" -- \"$cur\")\n"
	"\telif [[ -n $rest ]]; then\n"
	"\t\tif [[ -n $runs ]]; then\n"
	"\t\t\t_wallprof_program \"$rest\"\n"
	"\t\telse\n"
	"\t\t\tcompopt -o default\n"
	"\t\tfi\n"
	"\telif _wallprof_takes \"$option\"; then\n"
	"\t\t# Of several options in a word, the last one has the value; of several values, the last is meant.\n"
	"\t\t[[ $option = --* ]] || option=-${option: -1}\n"
	"\t\tif [[ \" $pids \" = *\" $option \"* ]]; then\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -P \"${cur%\"${cur##*,}\"}\" -W \"$(cd /proc && echo [0-9]*)\" -- \"${cur##*,}\")\n"
	"\t\telif [[ \" $users \" = *\" $option \"* ]]; then\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -P \"${cur%\"${cur##*,}\"}\" -u -- \"${cur##*,}\")\n"
	"\t\telif [[ \" $events \" = *\" $option \"* ]]; then\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -P \"${cur%\"${cur##*,}\"}\" -W \"$(\"${COMP_WORDS[0]}\" list -q \"${cur##*,}*\" 2>/dev/null)\" -- \"${cur##*,}\")\n"
	"\t\t\t# What replaces the last word only is behind its last colon.\n"
	"\t\t\t[[ $cur != *:* || $COMP_WORDBREAKS != *:* ]] || COMPREPLY=(\"${COMPREPLY[@]#\"${cur%\"${cur##*:}\"}\"}\")\n"
	"\t\telse\n"
	"\t\t\tcompopt -o default\n"
	"\t\tfi\n"
	"\telse\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	"\tfi\n"
	"}\n"
	"complete -F _wallprof wallprof\n";

static void print_word(const struct wp_option *opt)
{
	if (opt->id < 256)
		printf(" -%c", opt->id);
	if (opt->name)
		printf(" --%s", opt->name);
}

/* The options whose value is in the next word, and of this kind. */
static void print_values(const struct wp_options *o, enum wp_value kind)
{
	const struct wp_option *opt;
	enum wp_value value;
	unsigned int i;

	for (i = 0; (opt = wp_option_at(o, i)); i++) {
		if (!opt->arg || *opt->arg == '[')
			continue;
		value = wp_completed_value(opt);
		if (value == kind || (kind == WP_VALUE_OTHER && value == WP_VALUE_FILE))
			print_word(opt);
	}
}

static void print_options(const struct wp_options *o)
{
	const struct wp_option *opt;
	unsigned int i;

	printf("\t'%s')\n\t\twords='-h --help", wp_completed_command(o));
	for (i = 0; (opt = wp_option_at(o, i)); i++)
		print_word(opt);
	printf("'\n\t\tvalues='");
	print_values(o, WP_VALUE_OTHER);
	printf("'\n\t\tpids='");
	print_values(o, WP_VALUE_PID);
	printf("'\n\t\tusers='");
	print_values(o, WP_VALUE_USER);
	printf("'\n\t\tevents='");
	print_values(o, WP_VALUE_EVENT);
	printf("'\n\t\truns=%s ;;\n", wp_completed_runs(o) ? "yes" : "");
}

/* The names that follow @before; NULL: those of all commands. */
static void print_names(const struct wp_completed *commands, size_t nr, const char *before)
{
	const char *name, *help;
	size_t i = 0;

	while ((name = wp_completed_next(commands, nr, before, &i, &help)))
		printf(" %s", name);
}

static void print_begin(const struct wp_completed *commands, size_t nr)
{
	const char *name, *help;
	size_t i = 0;

	fputs(bash_head, stdout);
	printf("\t'')\n\t\tfirst=yes words='--help --version --completion help");
	print_names(commands, nr, NULL);
	printf("' ;;\n\t--completion)\n\t\t((COMP_CWORD > 2)) || first=yes\n\t\twords='bash fish zsh' ;;\n");
	printf("\thelp)\n\t\t((COMP_CWORD > 2)) || first=yes\n\t\twords='");
	print_names(commands, nr, NULL);
	printf("' ;;\n");
	i = 0;
	while ((name = wp_completed_next(commands, nr, NULL, &i, &help))) {
		if (!commands[i - 1].words[1])
			continue;
		printf("\t%s)\n\t\tfirst=yes words='--help", name);
		print_names(commands, nr, name);
		printf("' ;;\n");
	}
}

static void print_end(const struct wp_completed *commands, size_t nr)
{
	(void)commands;
	(void)nr;
	fputs(bash_tail, stdout);
}

const struct wp_shell wp_shell_bash = { "bash", print_begin, print_options, print_end };
