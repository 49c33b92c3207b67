// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.safebunny.benchmarks.database.FreshDatabase;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A task of db-scheduler for each saga, which is run once for each step and scheduled again at once for the next. A step may be repeated
 * after a crash, so it inserts its row only if it is not there.
 */
final class DbSchedulerOrders implements OrderPeer {

    static final Duration POLLING = Duration.ofMillis(50);
    static final double LOWER_LIMIT = 0.5;
    static final double UPPER_LIMIT = 4;

    private final Effects effects;
    private final CustomTask<Progress> task;
    private final Scheduler scheduler;
    private volatile Consumer<String> end = order -> {};

    DbSchedulerOrders(FreshDatabase database, int connections) {
        DataSource pool = database.pool(connections);
        createTable(database);
        effects = new Effects(pool);
        task = Tasks.custom("order", Progress.class)
                .execute((instance, context) -> run(instance.getId(), instance.getData()));
        scheduler = Scheduler.create(pool, task)
                .threads(connections)
                .pollingInterval(POLLING)
                .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                .jdbcCustomization(new PostgreSqlJdbcCustomization(false, false))
                .enableImmediateExecution()
                .build();
        scheduler.start();
    }

    /** As its documentation has it. */
    private static void createTable(FreshDatabase database) {
        database.sql()
                .execute(
                        "create table scheduled_tasks (task_name text not null, task_instance text not null, task_data bytea, execution_time timestamptz not null, picked boolean not null, picked_by text, last_success timestamptz, last_failure timestamptz, consecutive_failures int, last_heartbeat timestamptz, version bigint not null, priority smallint, primary key (task_name, task_instance))");
        database.sql().execute("create index execution_time_idx on scheduled_tasks (execution_time)");
        database.sql().execute("create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");
    }

    private CompletionHandler<Progress> run(String order, Progress progress) {
        if (progress.undoing()) {
            effects.undo(order, progress.step());
        } else if (progress.step() == Order.STEPS && Order.isRefused(order)) {
            return next(new Progress(Order.STEPS - 1, true));
        } else {
            effects.performAgain(order, progress.step());
        }
        if (progress.isLast()) {
            end.accept(order);
            return new CompletionHandler.OnCompleteRemove<>();
        }
        return next(progress.next());
    }

    private static CompletionHandler<Progress> next(Progress progress) {
        return (execution, operations) -> operations.reschedule(execution, Instant.now(), progress);
    }

    @Override
    public void begin(String order) {
        scheduler.schedule(task.instance(order, new Progress(1, false)), Instant.now());
    }

    @Override
    public void onEnd(Consumer<String> newEnd) {
        end = newEnd;
    }

    @Override
    public void close() {
        scheduler.stop();
    }

    /** The step to be done, or undone, next. */
    record Progress(int step, boolean undoing) implements Serializable {

        boolean isLast() {
            return undoing ? step == 1 : step == Order.STEPS;
        }

        Progress next() {
            return new Progress(undoing ? step - 1 : step + 1, undoing);
        }
    }
}
