import { payouts } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { t } from "../../catalogue/en.ts";
import { ExportButton } from "../../ui/export-button.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { payoutColumns, payoutFileColumns } from "./columns.tsx";

const words = t.payouts.waiting;
const query = { sub_status: "awaiting_approval" };

export function WaitingPayouts() {
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <ExportButton
          name="payouts-waiting"
          read={() => readAll(payouts, query)}
          columns={payoutFileColumns}
        />
      }
    >
      <List
        caption={words.caption}
        list={payouts}
        query={query}
        columns={payoutColumns}
        keyOf={({ id }) => id}
        empty={words.empty}
        isFixed
      />
    </Page>
  );
}
