// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.demo.command.Options;
import io.safebunny.samples.orders.ledger.Effect;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the report makes of ledgers, those that do not balance above all. */
class AccountsTest {

    private static final Counts NOTHING = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static final String GOOD = "ACCEPTED MAIL_RECEIVED RESERVATION CHARGE SHIPMENT COMPLETED MAIL_OUTCOME";
    private static final String UNDONE =
            "ACCEPTED MAIL_RECEIVED RESERVATION CHARGE REFUND RELEASE CANCELLED TIMEOUT MAIL_OUTCOME";

    private final Storage storage = Storage.open(Options.defaults());
    private int orders;

    @AfterEach
    void close() {
        storage.close();
    }

    private void order(String effects) {
        orders++;
        for (String effect : effects.split(" ", -1)) {
            storage.client()
                    .sql(
                            "insert into ledger (node, effect, order_id, message_id, amount_cents) values ('n', ?, ?, 'm', 1)")
                    .params(Effect.valueOf(effect).name(), "a-" + orders)
                    .update();
        }
    }

    private Report report(long unfinished) {
        Accounts accounts = new Accounts(storage, "a-");
        return Report.of(
                orders, accounts, NOTHING, 1, Orchestration.of(accounts.tally().books(), NOTHING, unfinished, 0));
    }

    private static long unbalanced(Report report) {
        return Objects.requireNonNull(report.orchestration()).unbalanced();
    }

    @Test
    void whatWasShippedIsPaidAndWhatFailedIsUndone() {
        order(GOOD);
        order(UNDONE);
        order("ACCEPTED MAIL_RECEIVED CANCELLED MAIL_OUTCOME");
        order("ACCEPTED MAIL_RECEIVED RESERVATION CHARGE SHIPMENT RETURN REFUND RELEASE CANCELLED MAIL_OUTCOME");

        Report report = report(0);

        assertThat(report.orchestration()).isEqualTo(new Orchestration(2, 0, 1, 0, 0, 0, 0, 3, 2, 2, 1, 3, 2));
        assertThat(report.exitStatus()).isZero();
        assertThat(report.table("here")).contains("what failed is undone").contains("sagas that got stuck");
    }

    @ParameterizedTest
    @CsvSource({
        "not refunded, ACCEPTED MAIL_RECEIVED RESERVATION CHARGE RELEASE CANCELLED MAIL_OUTCOME",
        "not released, ACCEPTED MAIL_RECEIVED RESERVATION CHARGE REFUND CANCELLED MAIL_OUTCOME",
        "refunded without a charge, ACCEPTED MAIL_RECEIVED RESERVATION RELEASE REFUND CANCELLED MAIL_OUTCOME",
        "shipped and refunded, ACCEPTED MAIL_RECEIVED RESERVATION CHARGE SHIPMENT REFUND RELEASE CANCELLED MAIL_OUTCOME",
        "shipped without a charge, ACCEPTED MAIL_RECEIVED RESERVATION SHIPMENT COMPLETED MAIL_OUTCOME",
        "completed without a shipment, ACCEPTED MAIL_RECEIVED RESERVATION CHARGE COMPLETED MAIL_OUTCOME",
        "completed and released, ACCEPTED MAIL_RECEIVED RESERVATION RELEASE CHARGE SHIPMENT COMPLETED MAIL_OUTCOME",
        "reserved twice, ACCEPTED MAIL_RECEIVED RESERVATION RESERVATION CHARGE SHIPMENT COMPLETED MAIL_OUTCOME",
    })
    void booksThatDoNotBalanceAreNotGood(String what, String effects) {
        order(GOOD);
        order(effects);

        Report report = report(0);

        assertThat(report.lost() + report.missingMails()).as(what).isZero();
        assertThat(unbalanced(report)).as(what).isEqualTo(1);
        assertThat(report.exitStatus()).isEqualTo(1);
        assertThat(report.table("here")).contains("NOT GOOD").contains("books that do not balance: 1");
    }

    @Test
    void aCustomerWhoHearsOfTheEndFirstIsNotGood() {
        order(GOOD);
        order("ACCEPTED RESERVATION CHARGE SHIPMENT COMPLETED MAIL_OUTCOME MAIL_RECEIVED");

        Report report = report(0);

        assertThat(report.disorderedMails()).isEqualTo(1);
        assertThat(report.exitStatus()).isEqualTo(1);
        assertThat(report.table("here")).contains("NOT GOOD").contains("mails in the wrong order: 1");
    }

    /** One that is shipped for nothing and one that is paid for nothing are two faults, although the totals agree. */
    @Test
    void booksAreBalancedOrderByOrder() {
        order("ACCEPTED MAIL_RECEIVED RESERVATION SHIPMENT COMPLETED MAIL_OUTCOME");
        order("ACCEPTED MAIL_RECEIVED RESERVATION CHARGE RELEASE CANCELLED MAIL_OUTCOME");

        assertThat(unbalanced(report(0))).isEqualTo(2);
    }

    @Test
    void sagasThatHaveNotEndedAreNotGood() {
        order(GOOD);

        Report report = report(1);

        assertThat(report.exitStatus()).isEqualTo(1);
        assertThat(report.table("here")).contains("sagas that have not ended: 1]");
    }

    /** A choreographed run reserves nothing. */
    @Test
    void withoutAnOrchestratorTheReportIsAsItWas() {
        order("ACCEPTED MAIL_RECEIVED CHARGE SHIPMENT COMPLETED MAIL_OUTCOME");

        Report report = Report.of(1, new Accounts(storage, "a-"), NOTHING, 1, null);

        assertThat(report.exitStatus()).isZero();
        assertThat(report.json()).doesNotContain("stuck").doesNotContain("orchestration");
        assertThat(report.table("here")).doesNotContain("sagas").doesNotContain("reserved");
    }
}
