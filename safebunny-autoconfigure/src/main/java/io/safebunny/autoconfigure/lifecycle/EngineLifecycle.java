// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.lifecycle;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.topology.Topology;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Keeps the engine publishing for as long as anything may publish through it: the web server (which starts 2048 before the default phase),
 * message listeners, and Spring's task executors and message sources, which have {@link ExecutorConfigurationSupport#DEFAULT_PHASE}. Phases
 * start in ascending order and stop in descending order. {@link ConsumingLifecycle} starts later and stops earlier. Beans that are merely
 * destroyed, such as data sources, outlive both.
 */
public final class EngineLifecycle implements SmartLifecycle {

    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

    private final SafeBunnyEngine engine;
    private final Supplier<List<HandlerDefinition>> handlers;
    private final Supplier<List<SagaDefinition>> sagas;
    private final boolean autoStart;
    private volatile boolean running;

    /** @param autoStart {@code false} for a topology command */
    public EngineLifecycle(
            SafeBunnyEngine engine,
            Supplier<List<HandlerDefinition>> handlers,
            Supplier<List<SagaDefinition>> sagas,
            boolean autoStart) {
        this.engine = engine;
        this.handlers = handlers;
        this.sagas = sagas;
        this.autoStart = autoStart;
    }

    @Override
    public void start() {
        engine.startPublishing(handlers.get(), sagas.get());
        running = true;
    }

    /** Returns what a start would declare, without starting. */
    public Topology plan() {
        return engine.plan(handlers.get(), sagas.get());
    }

    /** All handlers, including those of sagas; empty before the start or the plan. */
    public List<HandlerDefinition> handlers() {
        return engine.handlers();
    }

    @Override
    public boolean isAutoStartup() {
        return autoStart;
    }

    @Override
    public void stop() {
        running = false;
        engine.stopPublishing();
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
