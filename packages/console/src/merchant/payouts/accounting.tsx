import { useState } from "react";
import { addressOf } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { daysOf, endOf, startOf } from "../../ui/rules/times.ts";

const words = t.payouts.accounting;
const daysMax = 93;

/** Downloads the bookings of a period. The server writes the file, so it is always complete. */
export function AccountingFile() {
  const [isOpen, setOpen] = useState(false);
  const [[from, to], setDays] = useState(() => daysOf("lastMonth", new Date()));
  const isComplete = from !== "" && to !== "";
  const days = isComplete ? (endOf(to).getTime() - startOf(from).getTime()) / 86_400_000 : 0;
  const isValid = days > 0 && days <= daysMax;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.open}</Button>
      <Modal title={words.title} text={words.text} isOpen={isOpen} onOpenChange={setOpen}>
        <div className="fields">
          <TextField
            label={t.list.from}
            type="date"
            value={from}
            onChange={(day) => setDays([day, to])}
          />
          <TextField
            label={t.list.to}
            type="date"
            value={to}
            onChange={(day) => setDays([from, day])}
            error={isValid ? undefined : words.period({ days: daysMax })}
          />
        </div>
        {isValid ? (
          <div className="row">
            <a
              className="button"
              data-kind="primary"
              download
              href={addressOf("/api/v1/transfer/accounting.csv", {
                from: startOf(from).toISOString(),
                to: endOf(to).toISOString(),
              })}
            >
              {words.download}
            </a>
          </div>
        ) : null}
      </Modal>
    </>
  );
}
