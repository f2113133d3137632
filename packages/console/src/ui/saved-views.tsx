import { useState } from "react";
import { t } from "../catalogue/texts.ts";
import type { ListSettings, SavedView } from "../session/list-settings.ts";
import { Button } from "./button.tsx";
import { ConfirmButton } from "./confirm-button.tsx";
import { TextField } from "./field.tsx";
import type { FilterValues } from "./filters.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

const words = t.list.views;

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
  const [name, setName] = useState("");
  const now = textOf({ search, hidden });
  const current = views.find((view) => textOf(view) === now);
  const isPlain = now === textOf({ search: {}, hidden: [] });
  const others = views.filter((each) => each.name !== (current?.name ?? name.trim()));
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
        <ConfirmButton
          label={words.save}
          text={words.saveText}
          kind="plain"
          isReady={name.trim() !== ""}
          confirm={async () =>
            change({ views: [...others, { name: name.trim(), search, hidden }] })
          }
        >
          <TextField label={words.name} value={name} onChange={setName} maxLength={60} required />
        </ConfirmButton>
      ) : null}
      {error === null ? null : <ProblemNotice error={error} />}
    </div>
  );
}
