// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.proof.rows.Row;
import io.safebunny.proof.rows.Rows;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import java.nio.file.Path;
import java.util.List;

/** The rows of {@code bin/saga-proof}. Confined to one thread. */
final class SagaRows implements Rows {

    private final StoreServers servers = new StoreServers();
    private final Path project;

    /** @param project the folder with the library's sources */
    SagaRows(Path project) {
        this.project = project;
    }

    @Override
    public List<Row> all() {
        MutantRow mutants = new MutantRow(project.resolve("safebunny-core/src/main/java"));
        return List.of(
                new Row("model-based", "0 deviations in 100,000 interleavings", VirtualRows::model),
                new Row("mutants", "each planted fault found within 10,000 interleavings", mutants::find),
                new Row(
                        "crash-matrix",
                        "halted at every saga point, on every store: effects exact, undone once, in reverse",
                        effort -> new MatrixRow(project).find(effort)),
                new Row("undo-orders", "0 effects left after 10,000 random orders", VirtualRows::undoOrders),
                new Row(
                        "timeouts-lost",
                        "10,000 timeouts whose messages are lost run once, at most 2 leases late",
                        VirtualRows::timeoutsLost),
                new Row(
                        "timeouts-purged",
                        "10,000 timeouts, PostgreSQL, whose messages are purged on the broker: none lost, none early, each once, at most 2 leases late",
                        effort -> new PurgedTimeoutsRow(postgres()).find(effort)),
                new Row(
                        "timeout-moved",
                        "a timeout moved 1,000 times within its period costs at most 2 messages",
                        VirtualRows::timeoutMoved),
                new Row("versions", "1,000 sagas of two versions side by side: 0 fields lost", VirtualRows::versions),
                new Row(
                        "load",
                        "10,000 sagas of 8 messages, two instances, PostgreSQL, in at most 150 s: all final, charges - refunds = shipped",
                        effort -> new LoadRow(postgres()).find(effort)),
                new Row(
                        "contest",
                        "handlers of a saga against plain transactional ones, one run, PostgreSQL: at least 0.65",
                        effort -> new ContestRow(postgres()).find(effort)),
                new Row(
                        "hot-saga-locks",
                        "1,000 messages to one saga, 2 x 10 places, PostgreSQL: sum exact, 0 attempts, 0 poison, at most 1,000 runs; neighbours' p99 at most 1 s",
                        effort -> new HotSagaRow(postgres(), 1).find(effort)),
                new Row("hot-saga-etags", "the same on Cosmos DB: at most 2,000 runs", effort -> new HotSagaRow(
                                cosmos(), 2)
                        .find(effort)));
    }

    private StoreAddress postgres() {
        return servers.address(StoreKind.POSTGRESQL, true);
    }

    private StoreAddress cosmos() {
        return servers.address(StoreKind.COSMOS, false);
    }

    @Override
    public void close() {
        servers.close();
    }
}
