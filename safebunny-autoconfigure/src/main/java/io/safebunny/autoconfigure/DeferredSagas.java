// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.saga.SagaPage;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** The engine's {@link Sagas}, which are known only when it has started; beans may have them injected before. Thread-safe. */
final class DeferredSagas implements Sagas {

    private final ObjectProvider<SafeBunnyEngine> engine;

    DeferredSagas(ObjectProvider<SafeBunnyEngine> engine) {
        this.engine = engine;
    }

    private Sagas sagas() {
        return engine.getObject().get(Sagas.class);
    }

    @Override
    public List<SagaView> find(String sagaId) {
        return sagas().find(sagaId);
    }

    @Override
    public Optional<SagaView> find(String saga, String sagaId) {
        return sagas().find(saga, sagaId);
    }

    @Override
    public List<SagaView> list(@Nullable String saga, @Nullable SagaStatus status, Duration olderThan, int limit) {
        return sagas().list(saga, status, olderThan, limit);
    }

    @Override
    public SagaPage page(SagaQuery query) {
        return sagas().page(query);
    }

    @Override
    public void retry(String saga, String sagaId, String reason) {
        sagas().retry(saga, sagaId, reason);
    }

    @Override
    public void skip(String saga, String sagaId, String step, String reason) {
        sagas().skip(saga, sagaId, step, reason);
    }

    @Override
    public void fail(String saga, String sagaId, String reason) {
        sagas().fail(saga, sagaId, reason);
    }

    @Override
    public void resume(String saga, String sagaId, String reason) {
        sagas().resume(saga, sagaId, reason);
    }

    @Override
    public void patch(String saga, String sagaId, long expectedVersion, String state, String reason) {
        sagas().patch(saga, sagaId, expectedVersion, state, reason);
    }
}
