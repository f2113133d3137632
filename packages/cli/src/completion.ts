import { didYouMean } from "@disburse/kernel/nearest.ts";
import { usageError } from "./output/failure.ts";
import type { Command, OwnCommand } from "./table/command.ts";
import type { CommandLine } from "./table/command-line.ts";
import { choicesOfOption, globalOptions, optionsOf } from "./table/options.ts";

/** Each script calls `disburse complete` with the words before the cursor. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_disburse() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(disburse complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _disburse disburse
`,
  zsh: `#compdef disburse
_disburse() {
  local -a found
  found=("\${(@f)$(disburse complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  (( \${#found} > 0 )) && [[ -n "\${found[1]}" ]] && compadd -- "\${found[@]}" || _files
}
compdef _disburse disburse
`,
  fish: `complete -c disburse -f -a '(disburse complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** Returns the completions of the last word, which may be incomplete or "". */
export function candidates(line: CommandLine, words: readonly string[]): readonly string[] {
  const current = words.at(-1) ?? "";
  const previousWords = words.slice(0, -1);
  return following(line, previousWords, current).filter((each) => each.startsWith(current));
}

function following(
  line: CommandLine,
  previousWords: readonly string[],
  current: string,
): readonly string[] {
  const path = previousWords.filter((word) => !word.startsWith("-"));
  const command = commandOf(line, path);
  const options = [...(command === undefined ? [] : optionsOf(command)), ...globalOptions];
  const previous = options.find(({ name }) => `--${name}` === previousWords.at(-1));
  if (previous !== undefined && previous.value !== "") {
    return choicesOfOption(previous, command) ?? [];
  }
  if (current.startsWith("-")) return options.map(({ name }) => `--${name}`);
  if (command !== undefined) return [];
  const [group] = path;
  const names = line.commands.map(({ name }) => name.split(" "));
  if (group === undefined) return [...new Set(names.map(([first = ""]) => first))];
  return names.flatMap(([first, second]) => (first === group && second ? [second] : []));
}

function commandOf({ commands }: CommandLine, path: readonly string[]): Command | undefined {
  return commands.find(({ name }) => {
    const words = name.split(" ");
    return words.every((word, at) => path[at] === word);
  });
}

export function completionCommands(line: () => CommandLine): readonly OwnCommand[] {
  const shells = Object.keys(scripts);
  return [
    {
      name: "completion",
      summary: "print a script that completes commands in a shell",
      details:
        "bash: add `source <(disburse completion bash)` to ~/.bashrc. zsh: the same in ~/.zshrc.\n" +
        "fish: disburse completion fish > ~/.config/fish/completions/disburse.fish",
      examples: ["completion bash", "completion zsh", "completion fish"],
      arguments: [{ name: "shell", about: shells.join(", ") }],
      run: async (invocation) => {
        const shell = invocation.required("<shell>");
        const script = scripts[shell];
        if (script === undefined) {
          throw usageError(
            `"${shell}" is not one of ${shells.join(", ")}${didYouMean(shell, shells)}`,
          );
        }
        invocation.world.out(script);
      },
    },
    {
      name: "complete",
      summary: "print completions; called by the scripts of `completion`",
      examples: ["complete -- alerts de"],
      arguments: [
        { name: "words", about: "the words after disburse", isOptional: true, isMany: true },
      ],
      run: async (invocation) => {
        const found = candidates(line(), invocation.many("<words>"));
        invocation.world.out(found.map((each) => `${each}\n`).join(""));
      },
    },
  ];
}
