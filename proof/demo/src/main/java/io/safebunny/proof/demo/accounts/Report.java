// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result of a run. Double effects are counted in orders: charges, shipments, refunds and mails, and (as steps) acceptances
 * and ends, of which each order has one.
 *
 * @param orders orders placed in this run, or accepted while serving
 * @param lost orders neither completed nor cancelled at the end of the run
 * @param disorderedMails orders whose customer heard of the end before the acceptance
 * @param duplicatesDelivered deliveries of a message that its queue had delivered before, not counting retries
 * @param duplicatesSuppressed deliveries that were acknowledged without being handled again
 * @param claimsTakenOver claims taken over because their owners fell silent
 * @param repeatedCalls repeated calls that a remote ledger recognised by their key
 * @param orchestration {@code null} for a choreographed run
 */
public record Report(
        long orders,
        long completed,
        long cancelled,
        long lost,
        long doubleCharges,
        long doubleShipments,
        long doubleRefunds,
        long doubleMails,
        long doubleSteps,
        long missingMails,
        long disorderedMails,
        long duplicatesDelivered,
        long duplicatesSuppressed,
        long claimsTakenOver,
        long repeatedCalls,
        long retriesInMemory,
        long retriesDelayed,
        long poisoned,
        double seconds,
        @JsonUnwrapped @Nullable Orchestration orchestration) {

    public static Report of(
            long orders, Accounts accounts, Counts counts, double seconds, @Nullable Orchestration orchestration) {
        Tally tally = accounts.tally();
        return new Report(
                orders,
                tally.completed(),
                tally.cancelled(),
                orders - tally.ended(),
                tally.surplus().charges(),
                tally.surplus().shipments(),
                tally.surplus().refunds(),
                tally.surplus().mails(),
                tally.surplus().steps(),
                tally.missingMails(),
                tally.disorderedMails(),
                counts.duplicatesDelivered(),
                counts.duplicatesSuppressed(),
                counts.claimsTakenOver(),
                accounts.repeatedCalls(),
                counts.retriesInMemory(),
                counts.retriesDelayed(),
                counts.poisoned(),
                Math.round(seconds * 1000) / 1000.0,
                orchestration);
    }

    @JsonIgnore
    boolean isClean() {
        return lost + missingMails + disorderedMails + doubles() == 0
                && (orchestration == null || orchestration.isClean());
    }

    private long doubles() {
        return doubleCharges + doubleShipments + doubleRefunds + doubleMails + doubleSteps;
    }

    public int exitStatus() {
        return isClean() ? 0 : 1;
    }

    public String json() {
        return JsonMapper.shared().writeValueAsString(this);
    }

    public String table(String where) {
        StringBuilder table = new StringBuilder();
        table.append(format("%n%,d orders in %.1f s on %s%n%n", orders, seconds, where));
        line(table, "completed", completed);
        line(table, "cancelled (declined or sold out)", cancelled);
        line(table, "lost", lost);
        line(table, "mails missing", missingMails);
        line(table, "mails in the wrong order", disorderedMails);
        table.append(format("%n"));
        line(table, "charged twice", doubleCharges);
        line(table, "shipped twice", doubleShipments);
        line(table, "refunded twice", doubleRefunds);
        line(table, "mailed twice", doubleMails);
        line(table, "accepted or ended twice", doubleSteps);
        table.append(format("%n"));
        line(table, "delivered twice to one process", duplicatesDelivered);
        line(table, "duplicates not handled again", duplicatesSuppressed);
        line(table, "claims of the dead taken over", claimsTakenOver);
        line(table, "calls repeated, known by their key", repeatedCalls);
        line(table, "retries at once, in memory", retriesInMemory);
        line(table, "retries after a delay", retriesDelayed);
        line(table, "messages given up (poison queue)", poisoned);
        if (orchestration != null) {
            orchestration.addTo(table);
        }
        table.append(format("%n%s%n", verdict()));
        return table.toString();
    }

    private String verdict() {
        if (isClean()) {
            return orchestration == null
                    ? "Every order came to its end, and nothing happened twice."
                    : "Every order came to its end, nothing happened twice, and what failed is undone.";
        }
        return "NOT GOOD [lost: %d, mails missing: %d, mails in the wrong order: %d, happened twice: %d%s]."
                .formatted(
                        lost,
                        missingMails,
                        disorderedMails,
                        doubles(),
                        orchestration == null ? "" : orchestration.verdict());
    }

    static void line(StringBuilder table, String what, long number) {
        table.append(format("  %-34s %,9d%n", what, number));
    }

    static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
