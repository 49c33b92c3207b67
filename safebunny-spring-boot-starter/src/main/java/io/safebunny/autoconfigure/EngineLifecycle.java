// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.topology.Topology;
import io.safebunny.transport.rabbit.TopologyWatch;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the engine with the application context and stops it within the grace period.
 *
 * <p>{@link #PHASE} lies between the start of Boot's web server (2048 before the default phase) and the draining of its requests
 * (1024 before it). Phases start in ascending order: when the first message is handled, all beans exist and the port is open, and
 * {@code @RabbitListener} containers and others that may publish start afterwards. They stop in descending order: those
 * containers stop first, then HTTP requests in work finish and can still publish, then SafeBunny finishes its own messages. Task
 * executors, the web server and beans that are merely destroyed, such as data sources, are still there for the handlers.
 */
final class EngineLifecycle implements SmartLifecycle {

    static final int PHASE = DEFAULT_PHASE - 1536;

    private static final Duration LARGEST_MARGIN = Duration.ofSeconds(2);

    private final SafeBunnyEngine engine;
    private final Supplier<List<HandlerDefinition>> handlers;
    private final Supplier<List<SagaDefinition>> sagas;
    private final Duration grace;
    private final boolean autoStart;
    private final @Nullable TopologyWatch watch;
    private volatile boolean running;

    /**
     * @param phaseTimeout time after which Spring goes on without waiting for us
     * @param autoStart whether the application runs, and is not only asked for its topology
     * @param watch {@code null} if nobody looks at the broker
     */
    EngineLifecycle(
            SafeBunnyEngine engine,
            Supplier<List<HandlerDefinition>> handlers,
            Supplier<List<SagaDefinition>> sagas,
            Duration phaseTimeout,
            boolean autoStart,
            @Nullable TopologyWatch watch) {
        this.engine = engine;
        this.handlers = handlers;
        this.sagas = sagas;
        this.grace = graceWithin(phaseTimeout);
        this.autoStart = autoStart;
        this.watch = watch;
    }

    /** Reserves a tenth of the timeout, at most 2 s, for handing messages back and disconnecting. */
    static Duration graceWithin(Duration phaseTimeout) {
        Duration tenth = phaseTimeout.dividedBy(10);
        return phaseTimeout.minus(tenth.compareTo(LARGEST_MARGIN) < 0 ? tenth : LARGEST_MARGIN);
    }

    @Override
    public void start() {
        engine.start(handlers.get(), sagas.get());
        running = true;
        Topology topology = engine.topology();
        if (watch != null && topology != null) {
            watch.start(topology, engine.handlers());
        }
    }

    /** What a start would declare; instead of a start. */
    Topology plan() {
        return engine.plan(handlers.get(), sagas.get());
    }

    /** What it handles, its sagas' handlers among it; empty before the start or the plan. */
    List<HandlerDefinition> handlers() {
        return engine.handlers();
    }

    @Override
    public boolean isAutoStartup() {
        return autoStart;
    }

    @Override
    public void stop() {
        running = false;
        if (watch != null) {
            watch.stop();
        }
        engine.stop(grace);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Not pauseable: stopping ends the connections, and a stopped engine cannot be started again. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
