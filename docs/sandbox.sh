# Sets up a shell for docs/guides: `source docs/sandbox.sh` while `npm start` runs.

# Prints one value of the sandbox's file, such as `sandbox merchants.acme.api_key`.
sandbox() {
  node -p "JSON.parse(fs.readFileSync((process.env.DATA_DIR || '.data') + '/sandbox.json', 'utf8')).$1"
}

API=$(sandbox base_url)
AUTH="Authorization: Bearer $(sandbox merchants.acme.api_key)"
APPROVER="Authorization: Bearer $(sandbox merchants.acme.approver_api_key)"
JSON="Content-Type: application/json"
# Accounts of acme in US dollars: with money, and without.
ACCOUNT=$(sandbox 'accounts[0].account_id')
EMPTY_ACCOUNT=$(sandbox 'accounts[1].account_id')
LAST_ANSWER=$(mktemp)

# Prints a fresh idempotency key.
new_key() {
  node -p 'crypto.randomUUID()'
}

# Prints a JSON answer, indented and with every digit, and keeps it for `field`.
answer() {
  local text
  # Reads to the end first: the command before the pipe may still use the previous answer.
  text=$(cat)
  printf '%s\n' "$text" > "$LAST_ANSWER"
  # Numbers become marked strings, because JSON.parse would turn 250.00 into 250.
  node -e '
    const mark = "#number ";
    const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
    const sent = fs.readFileSync(process.argv[1], "utf8")
      .replace(tokens, (token) => (token[0] === "\"" ? token : `"${mark}${token}"`));
    const shown = JSON.stringify(JSON.parse(sent), null, 2);
    console.log(shown.replace(/"#number ([^"]*)"/g, "$1"));' "$LAST_ANSWER"
}

# Prints one field of the last answer's data: `field id`, `field "lines[0].payout_id"`.
field() {
  node -e '
    const { data, ...error } = JSON.parse(fs.readFileSync(process.argv[1], "utf8"));
    if (data === undefined) throw new Error(JSON.stringify(error));
    const path = process.argv[2].match(/\w+/g);
    const value = path.reduce((part, name) => part[name], data);
    if (value === undefined) throw new Error(`no ${process.argv[2]} in the last answer`);
    console.log(value);' "$LAST_ANSWER" "$1"
}

# Creates a beneficiary with a US bank account and sets BENEFICIARY.
add_beneficiary() {
  curl -s "$API/api/v1/transfer/fiat/beneficiary" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: $(new_key)" -d '{
    "beneficiary_account_type": "Individual",
    "beneficiary_first_name": "Jane", "beneficiary_last_name": "Doe",
    "beneficiary_address": "1 Main Street", "beneficiary_city": "New York",
    "beneficiary_state": "NY", "beneficiary_postcode": "10001",
    "destination_currency": "USD", "transfer_type": "ACH", "destination_country": "US",
    "routing_code_type_1": "ACH CODE", "routing_code_value_1": "021000021",
    "beneficiary_account_number": "'"$(node -p 'crypto.randomInt(1e9, 1e10)')"'" }' | answer
  BENEFICIARY=$(field beneficiary_id)
}

# Gets a quote for an amount in US dollars and sets QUOTE: `get_quote 250.00`.
get_quote() {
  curl -s "$API/api/v1/transfer/rfq" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: $(new_key)" -d '{
    "source_amount": "'"$1"'", "source_currency_code": "USD", "destination_currency_code": "USD",
    "beneficiary_id": "'"$BENEFICIARY"'", "account_id": "'"$ACCOUNT"'" }' | answer
  QUOTE=$(field id)
}

# Gets a quote, executes it and sets PAYOUT: `pay 250.00 order-1001`.
pay() {
  get_quote "$1" > /dev/null
  curl -s "$API/api/v1/transfer/execute" -H "$AUTH" -H "$JSON" -H "Idempotency-Key: $(new_key)" -d '{
    "quote_id": "'"$QUOTE"'", "reference_id": "'"$2"'" }' | answer
  PAYOUT=$(field id)
}

# Reads a record every second while a field has a value, and prints it:
# `wait_while status initiated "transfer/payouts/$PAYOUT"`.
wait_while() {
  local found
  while
    found=$(curl -s "$API/api/v1/$3" -H "$AUTH" | answer)
    [ "$(field "$1")" = "$2" ]
  do sleep 1; done
  printf '%s\n' "$found"
}
