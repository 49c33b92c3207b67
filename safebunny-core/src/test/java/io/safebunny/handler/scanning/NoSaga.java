// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.saga.SagaContext;
import java.time.Duration;
import java.time.Instant;

/** A context for methods that only pass it on. */
final class NoSaga implements SagaContext {

    @Override
    public String sagaId() {
        return "c-1";
    }

    @Override
    public void step(String name, Object command, Object undo) {
        throw notExpected();
    }

    @Override
    public void step(String name, Object command) {
        throw notExpected();
    }

    @Override
    public boolean forget(String name) {
        throw notExpected();
    }

    @Override
    public void timeout(String name, Duration after) {
        throw notExpected();
    }

    @Override
    public void timeoutAt(String name, Instant due) {
        throw notExpected();
    }

    @Override
    public boolean cancelTimeout(String name) {
        throw notExpected();
    }

    @Override
    public void complete() {
        throw notExpected();
    }

    @Override
    public void fail(String reason) {
        throw notExpected();
    }

    private static UnsupportedOperationException notExpected() {
        return new UnsupportedOperationException("no method of these tests does anything to its saga");
    }
}
