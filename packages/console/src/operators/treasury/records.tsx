import type { Proposal } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { jsonIn } from "./proposals.ts";

const words = operatorTexts.treasury.approvals;

/** The approval covers these texts. They are therefore shown completely, and only indented. */
export function Records({ before, after }: Proposal) {
  const records = [
    [words.before, before],
    [words.after, after],
  ] as const;
  return (
    <details>
      <summary>{words.details}</summary>
      <div className="columns">
        {records.map(([title, text]) => (
          <div key={title}>
            <strong>{title}</strong>
            <pre className="card mono break">{text === "" ? words.nothing : indented(text)}</pre>
          </div>
        ))}
      </div>
    </details>
  );
}

function indented(text: string): string {
  const json = jsonIn(text);
  return json === undefined ? text : JSON.stringify(json, null, 2);
}
