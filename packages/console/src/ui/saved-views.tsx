import { t } from "../catalogue/texts.ts";
import type { ListSettings, SavedView } from "../session/list-settings.ts";
import { Button } from "./button.tsx";
import type { FilterValues } from "./filters.tsx";
import { FormButton } from "./form-button.tsx";
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
  const now = textOf({ search, hidden });
  const current = views.find((view) => textOf(view) === now);
  const isPlain = now === textOf({ search: {}, hidden: [] });
  const others = (name: string) => views.filter((each) => each.name !== name);
  const save = (name: string) => change({ views: [...others(name), { name, search, hidden }] });
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
        <Button kind="plain" onClick={() => change({ views: others(current.name) })}>
          {words.remove}
        </Button>
      ) : isKnown && !isPlain ? (
        <FormButton
          label={words.save}
          text={words.saveText}
          kind="plain"
          initial={{ name: "" }}
          fields={[{ name: "name", label: words.name, maxLength: 60, required: true }]}
          send={async ({ name }) => save(name.trim())}
        />
      ) : null}
      {error === null ? null : <ProblemNotice error={error} />}
    </div>
  );
}
