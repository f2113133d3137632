import { parentPort, workerData } from "node:worker_threads";
import { readBankFile } from "../read.ts";
import { inPieces, type Piece } from "./pieces.ts";

/** The file with empty arrays comes first, then its pieces. */
export type Answer =
  | { readonly file: unknown }
  | { readonly piece: Piece }
  | { readonly isComplete: true };

/** Takes a millisecond or two to receive. */
const objectsMax = 2_000;

const bytes: unknown = workerData;
if (!(bytes instanceof Uint8Array)) throw new Error("was started without a file");

const { value, pieces } = inPieces(readBankFile(bytes), objectsMax);
const answers = answersOf();

// One answer for each request: a thread that receives many at once stands still for all of them.
parentPort?.on("message", () => {
  const { value: answer } = answers.next();
  parentPort?.postMessage(answer);
});

function* answersOf(): Generator<Answer> {
  yield { file: value };
  for (const piece of pieces) yield { piece };
  yield { isComplete: true };
}
