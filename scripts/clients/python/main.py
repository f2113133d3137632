"""A payout to a bank account and one to a wallet, by openapi-generator's Python client."""

import os
import time
import uuid
from datetime import date

import openapi_client as disburse

client = disburse.ApiClient(
    disburse.Configuration(
        host=os.environ["DISBURSE_BASE_URL"], access_token=os.environ["DISBURSE_API_KEY"]
    )
)
beneficiaries = disburse.BeneficiariesApi(client)
quotes = disburse.QuotesApi(client)
payouts = disburse.PayoutsApi(client)
STRING = "string"


def new_key() -> str:
    return str(uuid.uuid4())


def create_bank_account() -> str:
    account = disburse.FiatBeneficiaryInrRequest(
        beneficiary_account_type="Individual",
        beneficiary_first_name="Asha",
        beneficiary_last_name="Rao",
        destination_currency="INR",
        transfer_type="LOCAL",
        destination_country="IN",
        currency_type="Fiat",
        routing_code_type_1="IFSC",
        routing_code_value_1="HDFC0000001",
        beneficiary_account_number="50100123456789",
        beneficiary_alias="asha",
        beneficiary_contact_country_code=disburse.FiatBeneficiaryUsdRequestBeneficiaryContactCountryCode("91"),
        beneficiary_contact_number=disburse.FiatBeneficiaryUsdRequestBeneficiaryContactNumber("9820012345"),
        beneficiary_address="1 Marine Drive",
        beneficiary_city="Mumbai",
        beneficiary_state="Maharashtra",
        beneficiary_postcode="400020",
        beneficiary_country_code="IN",
        beneficiary_bank_name="First Bank",
        beneficiary_bank_account_type="Personal Savings",
        beneficiary_bank_address="2 Fort Road",
        beneficiary_bank_city="Mumbai",
        beneficiary_bank_state="Maharashtra",
        beneficiary_bank_postcode="400001",
        beneficiary_bank_country_code="IN",
    )
    body = disburse.CreateFiatBeneficiaryRequest(account)
    return beneficiaries.create_fiat_beneficiary(STRING, body, new_key()).data.beneficiary_id


def create_wallet() -> str:
    wallet = disburse.CryptoBeneficiaryIndividualRequest(
        beneficiary_account_type="Individual",
        beneficiary_name="Jane Doe",
        beneficiary_date_of_birth=date(1985, 4, 12),
        beneficiary_document_type="PASSPORT",
        beneficiary_document_id="X1234567",
        beneficiary_address="1 Main Street",
        beneficiary_city="New York",
        beneficiary_state="NY",
        beneficiary_postcode="10001",
        beneficiary_country_code="US",
        destination_currency="USDC_ETH",
        routing_code_type_1="NETWORK",
        routing_code_value_1="ETHEREUM",
        beneficiary_account_number="0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        beneficiary_wallet_custody_provider="OTHERS",
        beneficiary_wallet_custody_provider_name="Paper",
    )
    body = disburse.CreateCryptoBeneficiaryRequest(wallet)
    return beneficiaries.create_crypto_beneficiary(STRING, body, new_key()).data.beneficiary_id


def pay(kind: str, beneficiary_id: str, currency: str, **amount: str) -> None:
    reference = f"{os.environ['DISBURSE_CLIENT']}-{kind}"
    terms = disburse.RequestForQuoteRequest(
        account_id=os.environ["DISBURSE_ACCOUNT_ID"],
        beneficiary_id=beneficiary_id,
        source_currency_code="USD",
        destination_currency_code=currency,
        **amount,
    )
    quote = quotes.request_quote(STRING, terms, new_key()).data
    order = disburse.ExecutePayoutRequest(quote_id=quote.id, reference_id=reference)
    payout_id = payouts.execute_payout(STRING, order, new_key()).data.id
    payout = payouts.get_payout(payout_id, STRING).data
    while payout.status.actual_instance == "initiated":
        time.sleep(0.2)
        payout = payouts.get_payout(payout_id, STRING).data
    assert payout.status.actual_instance == "succeeded", payout.status
    for field, expected in amount.items():
        assert getattr(payout, field) == expected, (field, getattr(payout, field))
    listed = payouts.list_payouts(STRING, reference_id=reference).data.transactions
    assert [each.id for each in listed] == [payout_id], listed


pay("fiat", create_bank_account(), "INR", receiving_amount="123456.78")
pay("crypto", create_wallet(), "USDC_ETH", source_amount="250.25")
