// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.txstep.JdbcStepFactory;
import dev.dbos.transact.workflow.QueueOptions;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import io.safebunny.benchmarks.database.FreshDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A workflow of DBOS Transact with its transactional steps: each commits its row and its checkpoint together. Started at once, or by a
 * queue, which polls.
 */
final class DbosOrders implements OrderPeer {

    static final Duration POLLING = Duration.ofMillis(50);

    private static final String QUEUE = "orders";

    private final DBOS dbos;
    private final Saga saga;
    private final boolean queued;
    private volatile Consumer<String> end = order -> {};

    DbosOrders(FreshDatabase database, int connections, boolean queued) throws SQLException {
        this.queued = queued;
        DataSource pool = database.pool(connections);
        dbos = new DBOS(DBOSConfig.defaults("orders").withDataSource(pool).withAppVersion("1"));
        saga = dbos.registerProxy(
                Saga.class, new OrderSaga(new JdbcStepFactory(dbos, pool), order -> end.accept(order)));
        dbos.launch();
        if (queued) {
            dbos.registerQueue(
                    QUEUE, QueueOptions.setWorkerConcurrency(OrderRun.AT_ONCE).andPollingInterval(POLLING));
        }
    }

    @Override
    public void begin(String order) throws SQLException {
        StartWorkflowOptions options = new StartWorkflowOptions(order);
        WorkflowHandle<Void, SQLException> unused =
                dbos.startWorkflow(() -> saga.run(order), queued ? options.withQueue(QUEUE) : options);
    }

    @Override
    public void onEnd(Consumer<String> newEnd) {
        end = newEnd;
    }

    @Override
    public void close() {
        dbos.shutdown();
    }

    /** Of which DBOS makes a proxy. */
    public interface Saga {
        void run(String order) throws SQLException;
    }

    /** Its steps, one after the other. */
    static final class OrderSaga implements Saga {

        private final JdbcStepFactory steps;
        private final Consumer<String> end;

        OrderSaga(JdbcStepFactory steps, Consumer<String> end) {
            this.steps = steps;
            this.end = end;
        }

        @Override
        @Workflow(name = "order")
        public void run(String order) throws SQLException {
            perform(order, 1);
            perform(order, 2);
            perform(order, 3);
            if (!ship(order)) {
                undo(order, 3);
                undo(order, 2);
                undo(order, 1);
            }
            end.accept(order);
        }

        private void perform(String order, int step) throws SQLException {
            steps.<SQLException>txStep(connection -> Effects.perform(connection, order, step), "step" + step);
        }

        private boolean ship(String order) throws SQLException {
            return steps.<Boolean, SQLException>txStep(
                    connection -> {
                        if (Order.isRefused(order)) {
                            return false;
                        }
                        Effects.perform(connection, order, 4);
                        return true;
                    },
                    "step4");
        }

        private void undo(String order, int step) throws SQLException {
            steps.<SQLException>txStep(connection -> Effects.undo(connection, order, step), "undo" + step);
        }
    }
}
