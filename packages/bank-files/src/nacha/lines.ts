import { achHead, isCard } from "../normalise/text.ts";
import { columns } from "./records.ts";

/** A record, a transmission card, or another line of a file. */
export type Line = {
  /** Counts from 1. Each record has its own number, even if several share a line. */
  readonly number: number;
  /** Up to 94 columns, padded with blanks. */
  readonly text: string;
  /** A problem with the line's columns, as text for operators. */
  readonly problem?: string;
};

/** Blanks and mainframe padding: NUL, ^Z and a byte order mark. */
const blanks = /(?:[^\P{Cc}\n\r\f]|[ \ufeff]|\u00ef\u00bb\u00bf)*/uy;

const lineEnd = /[\n\r\f]/g;

/** Control characters inside a record. Each is read as a blank. */
const fillers = /\p{Cc}/gu;

/**
 * The text needed to cut a record: the record and the one after it, at up to four bytes per column.
 */
const windowLength = 8 * columns;

/**
 * The minimum length of a file's control record. The columns after it are blank, and some banks
 * omit them.
 */
const controlLength = 55;

/**
 * Cuts the text of a file into records of 94 columns. A record ends at a line end of any kind, or
 * after 94 columns if several records share one line. Blank padding of any length is dropped.
 */
export function* linesOf(chunks: Iterable<string>): Generator<Line> {
  const cutter = new Cutter();
  for (const chunk of chunks) yield* cutter.cut(chunk, false);
  yield* cutter.cut("", true);
}

class Cutter {
  #text = "";
  #at = 0;
  #number = 1;
  /** True if an earlier record of this line was already cut. */
  #isRest = false;
  /** True if the rest of this line must be dropped. */
  #isDropped = false;

  *cut(chunk: string, isLast: boolean): Generator<Line> {
    this.#text = this.#text.slice(this.#at) + chunk;
    this.#at = 0;
    while (this.#at < this.#text.length) {
      if (!isLast && this.#text.length - this.#at < windowLength) return;
      const line = this.#next();
      if (line !== undefined) yield line;
    }
  }

  #next(): Line | undefined {
    if (this.#isDropped) {
      this.#at = this.#lineEnd();
      this.#isDropped = this.#at === this.#text.length;
      return undefined;
    }
    blanks.lastIndex = this.#at;
    blanks.exec(this.#text);
    this.#at = blanks.lastIndex;
    const first = this.#text[this.#at];
    if (first === undefined) return undefined;
    if (/[\n\r\f]/.test(first)) {
      this.#at += first === "\r" && this.#text[this.#at + 1] === "\n" ? 2 : 1;
      this.#number += 1;
      this.#isRest = false;
      return undefined;
    }
    if (!/[1-9]/.test(first)) return this.#card();
    return this.#isRest && !hasColumnsAt(this.#text, this.#at) ? this.#excess() : this.#record();
  }

  #lineEnd(): number {
    lineEnd.lastIndex = this.#at;
    return lineEnd.exec(this.#text)?.index ?? this.#text.length;
  }

  #excess(): Line {
    this.#isDropped = true;
    return { number: this.#number, text: "", problem: "has more than 94 columns" };
  }

  #record(): Line {
    if (this.#isRest) this.#number += 1;
    this.#isRest = true;
    const { length, text, problem } = recordAt(this.#text, this.#at);
    this.#at += length;
    const filled = text.replace(fillers, " ").padEnd(columns);
    const line = { number: this.#number, text: filled };
    return problem === undefined ? line : { number: this.#number, text: filled, problem };
  }

  /**
   * Returns a line that is not a record. If the line contains the header of a file, the returned
   * text ends before that header.
   */
  #card(): Line {
    const line = this.#text.slice(this.#at, this.#lineEnd());
    if (this.#isRest && !isCard(line)) return this.#excess();
    const head = line.search(achHead);
    if (head < 0) this.#isDropped = true;
    else this.#at += head;
    const text = line.slice(0, head < 0 ? columns : Math.min(head, columns));
    return { number: this.#number, text: text.padEnd(columns) };
  }
}

/** True if the rest of the line has at least the columns of a record. */
function hasColumnsAt(text: string, at: number): boolean {
  const [line = ""] = text.slice(at, at + columns).split(/[\n\r\f]/, 1);
  return line.length === columns || (line.length >= controlLength && /^9\d{54}/.test(line));
}

/**
 * The first columns of each record type: the type digit, then priority, service class, transaction
 * code or addenda type.
 */
const recordStart = /(?:101|[58]2[0-8][05]|6[2-5][1-9]\d{9}|7(?:0[25]|1[0-8]|9[89])|9\d{5})/y;

type Cut = { readonly length: number; readonly text: string; readonly problem?: string };

/**
 * Cuts the record that begins at a position. In a UTF-8 file, one column may have several bytes.
 * The record's length in bytes is the one after which the line ends or the next record begins.
 */
function recordAt(text: string, at: number): Cut {
  const [bytes = ""] = text.slice(at, at + columns).split(/[\n\r\f]/, 1);
  const cut = { length: bytes.length, text: bytes };
  if (!/[\u0080-\u00ff]/.test(bytes) || (bytes.length === columns && isEndAt(text, at + columns))) {
    return cut;
  }
  const [line = ""] = text.slice(at, at + 4 * columns).split(/[\n\r\f]/, 1);
  const decoded = Array.from(Buffer.from(line, "latin1").toString()).slice(0, columns).join("");
  const length = Buffer.byteLength(decoded);
  const isWhole = Array.from(decoded).length === columns && isEndAt(text, at + length);
  if (isWhole && !decoded.includes("\ufffd")) return { length, text: decoded };
  return { length: bytes.length, text: bytes, problem: "has characters that move its columns" };
}

/** True if the line ends or another record follows. */
function isEndAt(text: string, at: number): boolean {
  blanks.lastIndex = at;
  blanks.exec(text);
  const next = blanks.lastIndex;
  recordStart.lastIndex = next;
  return next === text.length || /[\n\r\f]/.test(text[next] ?? "") || recordStart.test(text);
}
