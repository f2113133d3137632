// A payout to a bank account and one to a wallet, by oapi-codegen's client.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"time"

	"disburse.example/program/client"
	"github.com/oapi-codegen/runtime/types"
)

var ctx = context.Background()

func ptr[T any](value T) *T { return &value }

// check ends the program with an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// data returns the body of a success, or ends with the error that came instead.
func data[T any](body *T, raw []byte) T {
	if body == nil {
		panic(string(raw))
	}
	return *body
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("DISBURSE_API_KEY"))
	return nil
}

func createBankAccount(api *client.ClientWithResponses) string {
	account := client.FiatBeneficiaryInrRequest{
		BeneficiaryAccountType:     "Individual",
		BeneficiaryFirstName:       ptr("Asha"),
		BeneficiaryLastName:        ptr("Rao"),
		DestinationCurrency:        "INR",
		TransferType:               "LOCAL",
		DestinationCountry:         "IN",
		CurrencyType:               "Fiat",
		RoutingCodeType1:           "IFSC",
		RoutingCodeValue1:          "HDFC0000001",
		BeneficiaryAccountNumber:   "50100123456789",
		BeneficiaryAlias:           "asha",
		BeneficiaryAddress:         "1 Marine Drive",
		BeneficiaryCity:            "Mumbai",
		BeneficiaryState:           "Maharashtra",
		BeneficiaryPostcode:        "400020",
		BeneficiaryCountryCode:     "IN",
		BeneficiaryBankName:        "First Bank",
		BeneficiaryBankAccountType: "Personal Savings",
		BeneficiaryBankAddress:     "2 Fort Road",
		BeneficiaryBankCity:        "Mumbai",
		BeneficiaryBankState:       "Maharashtra",
		BeneficiaryBankPostcode:    "400001",
		BeneficiaryBankCountryCode: "IN",
	}
	check(account.BeneficiaryContactCountryCode.FromFiatBeneficiaryInrRequestBeneficiaryContactCountryCode0("91"))
	check(account.BeneficiaryContactNumber.FromFiatBeneficiaryInrRequestBeneficiaryContactNumber0("9820012345"))
	var body client.CreateFiatBeneficiaryRequest
	check(body.FromFiatBeneficiaryInrRequest(account))
	params := client.CreateFiatBeneficiaryParams{DisburseAmounts: "string", IdempotencyKey: ptr(rand.Text())}
	created, err := api.CreateFiatBeneficiaryWithResponse(ctx, &params, body)
	check(err)
	return data(created.JSON200, created.Body).Data.BeneficiaryId
}

func createWallet(api *client.ClientWithResponses) string {
	wallet := client.CryptoBeneficiaryIndividualRequest{
		BeneficiaryAccountType:               "Individual",
		BeneficiaryName:                      "Jane Doe",
		BeneficiaryDateOfBirth:               types.Date{Time: time.Date(1985, time.April, 12, 0, 0, 0, 0, time.UTC)},
		BeneficiaryDocumentType:              "PASSPORT",
		BeneficiaryDocumentId:                "X1234567",
		BeneficiaryAddress:                   "1 Main Street",
		BeneficiaryCity:                      "New York",
		BeneficiaryState:                     "NY",
		BeneficiaryPostcode:                  "10001",
		BeneficiaryCountryCode:               "US",
		DestinationCurrency:                  ptr[client.CryptoBeneficiaryIndividualRequestDestinationCurrency]("USDC_ETH"),
		RoutingCodeType1:                     "NETWORK",
		RoutingCodeValue1:                    "ETHEREUM",
		BeneficiaryAccountNumber:             "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		BeneficiaryWalletCustodyProvider:     "OTHERS",
		BeneficiaryWalletCustodyProviderName: "Paper",
	}
	var body client.CreateCryptoBeneficiaryRequest
	check(body.FromCryptoBeneficiaryIndividualRequest(wallet))
	params := client.CreateCryptoBeneficiaryParams{DisburseAmounts: "string", IdempotencyKey: ptr(rand.Text())}
	created, err := api.CreateCryptoBeneficiaryWithResponse(ctx, &params, body)
	check(err)
	return data(created.JSON200, created.Body).Data.BeneficiaryId
}

func getPayout(api *client.ClientWithResponses, id string) (client.Payout, string) {
	answer, err := api.GetPayoutWithResponse(ctx, id, &client.GetPayoutParams{DisburseAmounts: "string"})
	check(err)
	payout := data(answer.JSON200, answer.Body).Data
	status, err := payout.Status.AsPayoutStatus1()
	check(err)
	return payout, status
}

func equal(actual, expected string) {
	if actual != expected {
		panic(fmt.Sprintf("expected %s, got %s", expected, actual))
	}
}

func pay(api *client.ClientWithResponses, kind string, terms client.RequestForQuoteRequest) client.Payout {
	reference := os.Getenv("DISBURSE_CLIENT") + "-" + kind
	ask := client.RequestQuoteParams{DisburseAmounts: "string", IdempotencyKey: ptr(rand.Text())}
	quoted, err := api.RequestQuoteWithResponse(ctx, &ask, terms)
	check(err)
	order := client.ExecutePayoutRequest{
		QuoteId:     data(quoted.JSON200, quoted.Body).Data.Id,
		ReferenceId: &reference,
	}
	execute := client.ExecutePayoutParams{DisburseAmounts: "string", IdempotencyKey: ptr(rand.Text())}
	executed, err := api.ExecutePayoutWithResponse(ctx, &execute, order)
	check(err)
	id := data(executed.JSON200, executed.Body).Data.Id
	payout, status := getPayout(api, id)
	for status == "initiated" {
		time.Sleep(200 * time.Millisecond)
		payout, status = getPayout(api, id)
	}
	equal(status, "succeeded")
	list := client.ListPayoutsParams{DisburseAmounts: "string", ReferenceId: &reference}
	answer, err := api.ListPayoutsWithResponse(ctx, &list)
	check(err)
	listed := data(answer.JSON200, answer.Body).Data.Transactions
	if len(listed) != 1 {
		panic(fmt.Sprintf("%d payouts are listed", len(listed)))
	}
	equal(listed[0].Id, id)
	return payout
}

func main() {
	api, err := client.NewClientWithResponses(os.Getenv("DISBURSE_BASE_URL"), client.WithRequestEditorFn(authorize))
	check(err)
	terms := client.RequestForQuoteRequest{
		AccountId:          os.Getenv("DISBURSE_ACCOUNT_ID"),
		SourceCurrencyCode: "USD",
	}

	toBank := terms
	toBank.BeneficiaryId, toBank.DestinationCurrencyCode = createBankAccount(api), "INR"
	toBank.ReceivingAmount = ptr("123456.78")
	equal(pay(api, "fiat", toBank).ReceivingAmount, "123456.78")

	toWallet := terms
	toWallet.BeneficiaryId, toWallet.DestinationCurrencyCode = createWallet(api), "USDC_ETH"
	toWallet.SourceAmount = ptr("250.25")
	equal(pay(api, "crypto", toWallet).SourceAmount, "250.25")
}
