// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import io.safebunny.benchmarks.database.FreshDatabase;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.flowable.common.engine.impl.history.HistoryLevel;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.delegate.BpmnError;
import org.flowable.engine.runtime.ProcessInstance;
import org.flowable.spring.SpringProcessEngineConfiguration;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * A BPMN process of Flowable with asynchronous service tasks and compensation. Each task, and the compensation as a whole, is a job with
 * a transaction of its own, in which its rows are written, too.
 */
final class FlowableOrders implements OrderPeer {

    private static final String PROCESS = "order";

    private final ProcessEngine engine;
    private volatile Consumer<String> end = order -> {};

    FlowableOrders(FreshDatabase database, int connections) {
        DataSource pool = database.pool(connections);
        SpringProcessEngineConfiguration configuration = new SpringProcessEngineConfiguration();
        configuration.setDataSource(pool);
        configuration.setTransactionManager(new JdbcTransactionManager(pool));
        configuration.setDatabaseSchemaUpdate("true");
        configuration.setHistoryLevel(HistoryLevel.INSTANCE);
        configuration.setAsyncExecutorActivate(true);
        configuration.setBeans(Map.of("shop", new Shop(new Effects(pool), order -> end.accept(order))));
        engine = configuration.buildProcessEngine();
        engine.startExecutors(); // in an application, its context does
        engine.getRepositoryService()
                .createDeployment()
                .addClasspathResource("io/safebunny/benchmarks/orders/order.bpmn20.xml")
                .deploy();
    }

    @Override
    public void begin(String order) {
        ProcessInstance unused =
                engine.getRuntimeService().startProcessInstanceByKey(PROCESS, order, Map.of("order", order));
    }

    @Override
    public void onEnd(Consumer<String> newEnd) {
        end = newEnd;
    }

    @Override
    public void close() {
        engine.close();
    }

    /** Called by the process. */
    public static final class Shop {

        private final Effects effects;
        private final Consumer<String> end;

        Shop(Effects effects, Consumer<String> end) {
            this.effects = effects;
            this.end = end;
        }

        public void perform(String order, int step) {
            effects.perform(order, step);
        }

        public void ship(String order) {
            if (Order.isRefused(order)) {
                throw new BpmnError("refused");
            }
            effects.perform(order, 4);
        }

        public void undo(String order, int step) {
            effects.undo(order, step);
        }

        public void end(String order) {
            end.accept(order);
        }
    }
}
