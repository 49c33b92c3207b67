// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.accounts.Accounts;
import io.safebunny.proof.demo.accounts.Counts;
import io.safebunny.proof.demo.accounts.Orchestration;
import io.safebunny.proof.demo.accounts.Storage;
import io.safebunny.proof.demo.command.Node;
import io.safebunny.proof.demo.command.Options;
import io.safebunny.proof.demo.repair.RepairDesk;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Looks at the sagas with state: how many have not ended, and with chaos also repairs them. In a choreographed run there are none.
 * Used by one thread.
 */
final class Supervision implements AutoCloseable {

    private static final int MOST = 1_000;

    private final Instant since = Instant.now();
    private final @Nullable Sagas sagas;
    private final @Nullable Supplier<RepairDesk> opening;
    private @Nullable RepairDesk desk;
    private long left;

    /** @param opening of the desk; {@code null} if nothing will need a repair */
    private Supervision(@Nullable Sagas sagas, @Nullable Supplier<RepairDesk> opening) {
        this.sagas = sagas;
        this.opening = opening;
    }

    static Supervision ofNothing() {
        return new Supervision(null, null);
    }

    /** @param saga with the node orders */
    static Supervision of(Saga saga, Options options, Storage storage) {
        if (!options.orchestrated()) {
            return ofNothing();
        }
        Sagas sagas = saga.bean(Node.ORDERS, Sagas.class);
        if (!options.chaos()) {
            return new Supervision(sagas, null);
        }
        List<String> nodes = Arrays.stream(Node.values())
                .filter(node -> node != Node.STOREFRONT)
                .map(Node::wireName)
                .toList();
        Transport transport = saga.bean(Node.ORDERS, Transport.class);
        JdbcClient ledger = storage.client();
        return new Supervision(
                sagas,
                () -> new RepairDesk(
                        sagas, transport, nodes, (order, undo) -> undo(ledger, order, undo), options.seed()));
    }

    /** Writes what the undo would have written, if there is anything to undo. */
    private static void undo(JdbcClient ledger, String orderId, String undo) {
        String done =
                switch (undo) {
                    case "ReleaseStock" -> "RESERVATION";
                    case "Refund" -> "CHARGE";
                    default -> "SHIPMENT";
                };
        String undone =
                switch (undo) {
                    case "ReleaseStock" -> "RELEASE";
                    case "Refund" -> "REFUND";
                    default -> "RETURN";
                };
        ledger.sql("""
                insert into ledger (node, effect, order_id, message_id, amount_cents)
                select node, ?, order_id, 'by hand', -amount_cents from ledger where order_id = ? and effect = ?
                """).params(undone, orderId, done).update();
    }

    /** Repairs what can be repaired now. From then on nobody else can see what was set aside: it is in the hands of this one. */
    void look() {
        if (desk == null && opening != null) {
            desk = opening.get();
        }
        if (desk != null) {
            desk.look();
        }
    }

    /** Sagas that were started since this was made, and have not ended; of more than 1,000 that wait, some may not be counted. */
    long unfinished() {
        if (sagas == null) {
            return 0;
        }
        return Arrays.stream(SagaStatus.values())
                .filter(status -> !status.isEnded())
                .flatMap(status -> sagas.list(null, status, Duration.ZERO, MOST).stream())
                .filter(saga -> !saga.startedAt().isBefore(since))
                .count();
    }

    /** How long to wait between two looks. */
    Duration pause() {
        return opening == null ? Duration.ofMinutes(1) : Duration.ofSeconds(1);
    }

    /** Counts for the report while the nodes can still be asked. Repairs nothing. */
    void end() {
        left = unfinished();
        close();
    }

    /** {@code null} if there are no sagas. */
    @Nullable
    Orchestration report(Accounts accounts, Counts counts) {
        if (sagas == null) {
            return null;
        }
        long repairs = desk == null ? 0 : desk.repairs();
        return Orchestration.of(accounts.tally().books(), counts, left, repairs);
    }

    @Override
    public void close() {
        if (desk != null) {
            desk.close();
        }
    }
}
