import { DropdownMenu } from "radix-ui";
import { t } from "../catalogue/texts.ts";
import type { ListSettings } from "../session/list-settings.ts";
import type { Column } from "./table.tsx";

const words = t.list;

/** Chooses a list's columns and the height of its rows. */
export function ViewMenu<T>(props: { columns: readonly Column<T>[]; settings: ListSettings }) {
  const { columns, settings } = props;
  const { hidden, isDense, change, isKnown } = settings;
  const shown = columns.filter(({ cell }) => cell);
  const isLast = shown.length - hidden.length <= 1;
  return (
    // A modal menu would add a style element, which the content security policy blocks.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="button" disabled={!isKnown}>
        {words.columns}
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
        <DropdownMenu.Group aria-label={words.columns}>
          {shown.map(({ id, header }) => {
            const isShown = !hidden.includes(id);
            return (
              <DropdownMenu.CheckboxItem
                key={id}
                checked={isShown}
                disabled={isShown && isLast}
                // The menu stays open for more choices.
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={(isOn) =>
                  change({
                    hidden: isOn ? hidden.filter((each) => each !== id) : [...hidden, id],
                  })
                }
              >
                {header}
                <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
              </DropdownMenu.CheckboxItem>
            );
          })}
        </DropdownMenu.Group>
        <DropdownMenu.Separator className="menu-line" />
        <DropdownMenu.CheckboxItem
          checked={isDense}
          onCheckedChange={(isOn) => change({ isDense: isOn })}
        >
          {words.dense}
          <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
        </DropdownMenu.CheckboxItem>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
