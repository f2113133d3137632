import { type FormEvent, useState } from "react";
import { t } from "../catalogue/texts.ts";
import type { ListSettings, SavedView } from "../session/list-settings.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import type { FilterValues } from "./filters.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

const words = t.list.views;
const nameMax = 60;

const textOf = ({ search, hidden }: Omit<SavedView, "name">) => {
  const set = Object.entries(search).filter(([, value]) => (value ?? "") !== "");
  return JSON.stringify([set.toSorted(), hidden.toSorted()]);
};

/** Applies, saves and removes a person's views of a list: its filters, order and columns. */
export function SavedViews(props: {
  settings: ListSettings;
  search: FilterValues;
  onSearch: (next: FilterValues) => void;
}) {
  const { settings, search, onSearch } = props;
  const { hidden, views, change, isKnown, error } = settings;
  const [name, setName] = useState<string>();
  const now = textOf({ search, hidden });
  const current = views.find((view) => textOf(view) === now);
  const isPlain = now === textOf({ search: {}, hidden: [] });
  const others = views.filter((each) => each.name !== (current?.name ?? name?.trim()));
  const save = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = name?.trim() ?? "";
    if (trimmed === "") return;
    change({ views: [...others, { name: trimmed, search, hidden }] });
    setName(undefined);
  };
  return (
    <div className="row">
      {views.map((view) => (
        <button
          key={view.name}
          type="button"
          className="chip"
          aria-pressed={view === current}
          onClick={() => {
            change({ hidden: view.hidden });
            onSearch(view.search);
          }}
        >
          {view.name}
        </button>
      ))}
      {current !== undefined ? (
        <Button kind="plain" onClick={() => change({ views: others })}>
          {words.remove}
        </Button>
      ) : isKnown && !isPlain ? (
        <Button kind="plain" onClick={() => setName("")}>
          {words.save}
        </Button>
      ) : null}
      {error === null ? null : <ProblemNotice error={error} />}
      <Modal
        title={words.save}
        text={words.saveText}
        isOpen={name !== undefined}
        onOpenChange={() => setName(undefined)}
      >
        <form className="form" onSubmit={save}>
          <TextField
            label={words.name}
            value={name ?? ""}
            onChange={setName}
            maxLength={nameMax}
            required
          />
          <div className="row">
            <Button type="submit" kind="primary">
              {words.save}
            </Button>
          </div>
        </form>
      </Modal>
    </div>
  );
}
