import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { words } from "./words.ts";

/** A cell to edit. Changes are kept when the person leaves it, or goes on with Enter. */
export function Cell(props: {
  label: string;
  name: string;
  value: string;
  problems: readonly string[];
  hint: string;
  placeholder: string;
  /** Values to choose from, if the text has several meanings. */
  choices: readonly (readonly [value: string, label: string])[];
  suggest?: (text: string) => readonly string[];
  onChange: (text: string) => void;
}) {
  const { label, name, value, problems, hint, placeholder, choices, suggest, onChange } = props;
  const [text, setText] = useState(value);
  const [isActive, setActive] = useState(false);
  const id = useId();
  useEffect(() => setText(value), [value]);
  const keep = () => {
    setActive(false);
    if (text !== value) onChange(text);
  };
  const suggested = isActive ? (suggest?.(text) ?? []) : [];
  return (
    <div className="field">
      <input
        className="input"
        aria-label={label}
        name={name}
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        aria-invalid={problems.length > 0}
        aria-describedby={`${id}-notes`}
        onFocus={() => setActive(true)}
        onBlur={keep}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={goOn}
        {...(suggest === undefined ? {} : { list: id })}
      />
      {suggested.length === 0 ? null : (
        <datalist id={id}>
          {suggested.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <span id={`${id}-notes`}>
        {problems.map((each) => (
          <span key={each} className="field-error">
            {each}
          </span>
        ))}
        {hint === "" ? null : <span className="field-hint">{hint}</span>}
      </span>
      {choices.length === 0 ? null : (
        <select
          className="input"
          aria-label={words.choose({ cell: label })}
          value=""
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">{words.chooseOne}</option>
          {choices.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** Enter goes to the same column of the next line, with Shift to that of the line before. */
function goOn(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const { currentTarget: input } = event;
  const column = [...(input.closest("table")?.querySelectorAll("input") ?? [])].filter(
    ({ name }) => name === input.name,
  );
  const next = column[column.indexOf(input) + (event.shiftKey ? -1 : 1)];
  if (next === undefined) input.blur();
  else next.focus();
}
