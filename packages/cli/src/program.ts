import type { Argument, Option } from "@disburse/commands/table/command.ts";
import {
  type Command as Commander,
  Argument as CommanderArgument,
  CommanderError,
  Option as CommanderOption,
  createCommand,
} from "commander";
import { exitCodes, type Failure, failureOf } from "./output/failure.ts";
import { jsonText, printable, recordText } from "./output/print.ts";
import { createCalls } from "./session/calls.ts";
import { identityOf } from "./session/identity.ts";
import { nowhere, readTarget } from "./session/target.ts";
import { type Command, detailsOf, isChange } from "./table/command.ts";
import type { CommandLine } from "./table/command-line.ts";
import { Invocation } from "./table/invocation.ts";
import { choicesOfOption, globalOptions, optionsOf } from "./table/options.ts";
import { runCall } from "./table/run.ts";
import type { World } from "./table/world.ts";

const exitHelp = `
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 needs another person's approval,
4 not logged in or not allowed, 5 a service is unavailable.

Environment: DISBURSE_SANDBOX, DISBURSE_PROFILE, DISBURSE_<SERVICE>_URL, DISBURSE_ISSUER,
DISBURSE_CLIENT_ID, DISBURSE_SCOPE, DISBURSE_TOKEN, DISBURSE_CA_FILE, DISBURSE_CERT_FILE,
DISBURSE_KEY_FILE, DISBURSE_TRUST_DOMAIN, NO_COLOR.

Start with \`disburse login\` or \`disburse status\`.`;

/** Runs one command line and returns its exit code. */
export async function runCommandLine(
  line: CommandLine,
  args: readonly string[],
  world: World,
): Promise<number> {
  let isJson = args.includes("--json");
  const program = createProgram(line, world, async (command, given) => {
    isJson = given.get("--json") === true;
    await runCommand(command, given, world);
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    const failure = failureOf(error);
    report(failure, isJson, world);
    return exitCodes[failure.exit];
  }
}

type Given = Map<string, string | boolean | readonly string[] | undefined>;

async function runCommand(command: Command, given: Given, world: World): Promise<void> {
  const textOf = (name: string) => {
    const value = given.get(name);
    return typeof value === "string" ? value : undefined;
  };
  const choice = { sandbox: textOf("--sandbox"), profile: textOf("--profile") };
  const isLocal = "run" in command && command.isLocal === true;
  const target = isLocal ? nowhere : readTarget(world, choice);
  const identity = identityOf(world, target);
  const calls = createCalls(world, target, identity, textOf("--operation-id"));
  const invocation = new Invocation({ world, target, calls, given });
  try {
    await ("run" in command ? command.run(invocation) : runCall(command, invocation));
  } catch (error) {
    const isUnknown = failureOf(error).exit === "unavailable";
    // The service may have applied the change. Repeating the command with the same operation id is
    // safe.
    if (isChange(command) && isUnknown) {
      world.err(`to retry, repeat the command with --operation-id ${calls.operationId}\n`);
    }
    throw error;
  }
}

function report(failure: Failure, isJson: boolean, world: World): void {
  const { exit, code, message, stack, approval } = failure;
  if (approval !== undefined) world.out(isJson ? jsonText(approval) : recordText(approval));
  if (isJson) world.err(jsonText({ error: { code, message, exit: exitCodes[exit] } }));
  else world.err(`error: ${printable(message, true)} (${code})\n`);
  if (stack !== undefined) world.err(`${stack}\n`);
}

/** Builds the commander program; it calls `run` with the parsed arguments and options. */
export function createProgram(
  { groups, commands, version }: CommandLine,
  world: Pick<World, "out" | "err">,
  run: (command: Command, given: Given) => Promise<void>,
): Commander {
  const program = createCommand("disburse")
    .description("Disburse for operators, over the services' own APIs.")
    .version(version, "--version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: world.out, writeErr: world.err })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(see --help)")
    .addHelpText("after", exitHelp);
  for (const option of globalOptions) program.addOption(optionOf(option));
  for (const group of groups) {
    const own = commands.filter(({ name }) => name.split(" ")[0] === group.name);
    const parent = own.some(({ name }) => name === group.name)
      ? program
      : program.command(group.name).description(group.summary).helpCommand(false);
    for (const each of own) addCommand(parent, each, run);
  }
  return program;
}

function addCommand(
  parent: Commander,
  command: Command,
  run: (command: Command, given: Given) => Promise<void>,
): void {
  const { summary, examples } = command;
  const details = detailsOf(command);
  const own = parent.command(command.name.split(" ").at(-1) ?? "");
  own.summary(summary).description(details === undefined ? summary : `${summary}\n\n${details}`);
  const positional = command.arguments ?? [];
  for (const each of positional) own.addArgument(argumentOf(each));
  const options = optionsOf(command).map((each) => [each, optionOf(each, command)] as const);
  for (const [, option] of options) own.addOption(option);
  const lines = examples.map((each) => `  disburse ${each}`);
  own.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  own.action(async () => {
    const values = own.optsWithGlobals<Record<string, string | boolean | string[] | undefined>>();
    const given: Given = new Map();
    for (const [at, { name }] of positional.entries())
      given.set(`<${name}>`, own.processedArgs[at]);
    for (const [{ name }, option] of options)
      given.set(`--${name}`, values[option.attributeName()]);
    for (const { name } of globalOptions) given.set(`--${name}`, values[name]);
    await run(command, given);
  });
}

function argumentOf({ name, about, isOptional = false, isMany = false }: Argument) {
  const shown = isMany ? `${name}...` : name;
  return new CommanderArgument(isOptional ? `[${shown}]` : `<${shown}>`, about);
}

function optionOf(option: Option, command?: Command): CommanderOption {
  const { name, about, value = "text", isRequired = false, isMany = false } = option;
  const choices = choicesOfOption(option, command);
  const hint = choices === undefined ? "" : ` (${choices.join(", ")})`;
  const many = isMany ? "; repeatable" : "";
  const created = new CommanderOption(
    value === "" ? `--${name}` : `--${name} <${value}>`,
    `${about}${hint}${many}`,
  );
  if (isRequired) created.makeOptionMandatory();
  if (isMany) {
    created.argParser((given: string, previous: readonly string[] = []) => [...previous, given]);
  }
  return created;
}
