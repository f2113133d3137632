import { t } from "../catalogue/texts.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Section } from "../ui/page.tsx";

const words = t.shell.topUp;

/** Returns the text after a label: the account number of `IBAN: DE89…`. */
const valueIn = (line: string) => /^[^:]{1,40}:\s+(.+)$/.exec(line)?.[1] ?? line;

/** Tells how to send money to an account, in the operators' words, line by line. */
export function TopUp({ text }: { text: string }) {
  if (text === "") return null;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (
    <Section title={words.title} actions={<CopyButton text={text} label={words.copyAll} />}>
      <div className="card">
        {lines.map((line) => (
          <div key={line} className="row between">
            <span className="break">{line}</span>
            <CopyButton text={valueIn(line)} />
          </div>
        ))}
      </div>
    </Section>
  );
}
