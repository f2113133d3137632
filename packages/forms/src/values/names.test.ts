import fc from "fast-check";
import { expect, it } from "vitest";
import { companyNameProblem, personNameProblem } from "./names.ts";

const placeholder = "must be a name, not a placeholder such as N/A";

it.each([
  ...["N/A", "n/a", "N/A.", "n.a.", "null", "NULL", "None", "undefined", "Unknown", "(null)"],
  ...["<none>", "[N/A]", "“unknown”", "null null", "N/A, N/A", "No Name", "not  available"],
  ...["Ｎ／Ａ", "nuLL\u00a0Null", "N / A", "n-a", "n. a.", "N\\A", "n/a/n/a", "null/null"],
  ...["null-null", "not_available", "not-available", "none.", "n/a n/a", "not known/not known"],
  ...["*unknown*", "no_name", "NULL,NULL", "undefined_undefined"],
])("%j is no name, of a person or company", (name) => {
  expect([personNameProblem(name), companyNameProblem(name)]).toEqual([placeholder, placeholder]);
});

it.each([
  ...["Jennifer Null", "Null Jennifer", "Nul", "Na", "Nil", "Test", "Nullah", "None Smith"],
  ...["N A", "N. A. Rao", "Noa", "N/A/B", "Null/Smith", "An N/A Co"],
  ...["O", "李", "N/A Holdings LLC", "Unknown Pleasures Ltd", "محمد", "Nan None-Smith"],
])("%j is a name, of a person or company", (name) => {
  expect([personNameProblem(name), companyNameProblem(name)]).toEqual([undefined, undefined]);
});

it.each(["3", "123 456", "12-34", "١٢٣"])("%j is a company's name, and no person's", (name) => {
  expect(personNameProblem(name)).toBe("must have a letter");
  expect(companyNameProblem(name)).toBeUndefined();
});

it.each(["-", "--", ".", "?!", "🎉", "***", "\u200b", "\u3164", "\uffa0\u115f\u1160"])(
  "%j is not a name: it has no letter or digit",
  (name) => {
    expect(personNameProblem(name)).toBe("must have a letter");
    expect(companyNameProblem(name)).toBe("must have a letter or digit");
  },
);

it("never refuses a name for a placeholder inside of it", () => {
  const part = fc.stringMatching(/^[A-Z][a-z]{5,9}q$/);
  const word = fc.constantFrom("N/A", "null", "None", "unknown");
  fc.assert(
    fc.property(part, word, fc.boolean(), (name, other, isFirst) => {
      const whole = isFirst ? `${other} ${name}` : `${name} ${other}`;
      expect([personNameProblem(whole), companyNameProblem(whole)]).toEqual([undefined, undefined]);
    }),
  );
});
