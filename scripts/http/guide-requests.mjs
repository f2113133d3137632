// Reads the requests of a guide by running its shell blocks with functions in place of programs:
// nothing is sent. A value of an earlier response becomes the variable of an .http client.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const sandboxScript = fileURLToPath(new URL("../../docs/sandbox.sh", import.meta.url));

/** The functions of docs/sandbox.sh that send requests. */
const senders = ["add_beneficiary", "get_quote", "pay"];

/** Each call of `curl` and `wait_while` is a numbered file of its arguments. */
const prelude = `
count() { command -p cat "$STATE/count"; }
record() {
  echo "$(($(count) + 1))" > "$STATE/count.new"; command -p mv "$STATE/count.new" "$STATE/count"
  printf '%s\\0' "$heading" "$@" > "$STATE/$(count)"
}
curl() {
  case " $* " in
    *" @- "*) record curl "$@" --data-raw "$(command -p cat)" ;;
    *) record curl "$@" ;;
  esac
}
wait_while() { record wait_while "$@"; }
before_next() { printf '%s\\0' "$@" >> "$STATE/$(($(count) + 1))-before"; }
sleep() { before_next sleep "$1"; }
variable() { before_next variable "$@"; }
answer() { command -p cat > /dev/null; }
field() { printf '{{response_%s.data.%s}}' "$(count)" "$1"; }
new_key() { printf '{{$uuid}}'; }
node() { printf '{{%s}}' "$2"; }
source() { :; }
command_not_found_handle() { :; }
echo 0 > "$STATE/count"
API='{{baseUrl}}' JSON='Content-Type: application/json'
AUTH='Authorization: Bearer {{api_key}}' APPROVER='Authorization: Bearer {{approver_api_key}}'
ACCOUNT='{{account_id}}' EMPTY_ACCOUNT='{{empty_account_id}}'
`;

/** Makes a value that a guide computes once a variable, so that later requests have the same one. */
function withVariables(block) {
  return block.replaceAll(
    /^(\w+)=\$\((?:new_key|node -p '([^']*)')\)$/gm,
    (_line, name, expression = "crypto.randomUUID()") =>
      `variable ${name.toLowerCase()} '${expression}'; ${name}='{{${name.toLowerCase()}}}'`,
  );
}

function scriptOf(page) {
  const text = readFileSync(sandboxScript, "utf8");
  const functions = senders.map(
    (name) => text.match(new RegExp(`^${name}\\(\\) \\{.*?^\\}`, "ms"))[0],
  );
  const parts = page.split(/^(?=## )/m).map((part) => {
    const heading = /^## (.*)$/m.exec(part)?.[1] ?? "";
    const blocks = [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
    return `heading=${JSON.stringify(heading)}\n${blocks.map(withVariables).join("\n")}`;
  });
  return [prelude, ...functions, ...parts].join("\n").replaceAll("/tmp/", "$STATE/");
}

/** Returns the requests of a guide's page in their order. */
export function requestsOf(page) {
  const state = mkdtempSync(join(tmpdir(), "disburse-http-"));
  try {
    const script = join(state, "script.sh");
    writeFileSync(script, scriptOf(page));
    const env = { STATE: state, PATH: state };
    execFileSync("/bin/bash", [script], { cwd: state, env, stdio: "ignore" });
    const numbers = readdirSync(state)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
    const listOf = (name) => readFileSync(join(state, name), "utf8").split("\0").slice(0, -1);
    return numbers
      .sort((a, b) => a - b)
      .map((number) => {
        const [heading, program, ...args] = listOf(String(number));
        const hasBefore = readdirSync(state).includes(`${number}-before`);
        const before = hasBefore ? listOf(`${number}-before`) : [];
        return { number, heading, before, ...parsed(program, args) };
      });
  } finally {
    rmSync(state, { recursive: true });
  }
}

function parsed(program, args) {
  if (program === "curl") return curlRequest(args);
  const [field, value, path] = args;
  const headers = ["Authorization: Bearer {{api_key}}"];
  return {
    method: "GET",
    url: `{{baseUrl}}/api/v1/${path}`,
    headers,
    body: "",
    until: { field, value },
  };
}

/** What curl sends as the type of a body by default. */
const form = "Content-Type: application/x-www-form-urlencoded";

/** Parses the options of curl that the guides use. */
function curlRequest(args) {
  const request = { method: undefined, url: "", headers: [], body: "" };
  const data = [];
  let isQuery = false;
  for (let at = 0; at < args.length; at += 1) {
    const [option, value] = [args[at], args[at + 1]];
    if (option === "-s") continue;
    if (option === "-G") isQuery = true;
    else if (!option.startsWith("-")) request.url = option;
    else {
      at += 1;
      if (option === "-H") request.headers.push(value);
      else if (option === "-X") request.method = value;
      else if (option === "--data-urlencode") data.push(encoded(value));
      else if (["-d", "--data-raw"].includes(option)) data.push(value);
      else if (!["--data-binary", "-o", "-w"].includes(option)) throw new Error(`curl ${option}`);
    }
  }
  const joined = data.join("&");
  request.method ??= joined === "" || isQuery ? "GET" : "POST";
  if (isQuery) return { ...request, url: `${request.url}?${joined}` };
  const hasType = request.headers.some((header) => header.startsWith("Content-Type:"));
  if (joined !== "" && !hasType) request.headers.push(form);
  return { ...request, body: joined };
}

/** Encodes a value for a query, but not its variables. */
function encoded(pair) {
  const [name, ...rest] = pair.split("=");
  const parts = rest.join("=").split(/(\{\{.*?\}\})/);
  return `${name}=${parts.map((part) => (part.startsWith("{{") ? part : encodeURIComponent(part))).join("")}`;
}
