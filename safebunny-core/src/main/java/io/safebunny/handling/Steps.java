// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.MessageContext.Step;
import io.safebunny.PoisonMessageException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of one message once each, and keeps the verdict that ends its handling when a step is in doubt. Confined to one
 * thread.
 */
final class Steps {

    private static final int LONGEST_NAME = 200;

    private final Envelope message;
    private HandlerStore store;
    /** {@code null} if results are kept in clear. */
    private @Nullable Sealing sealing;

    private Set<String> usedInAttempt = Set.of();
    /** Volatile, because other threads of the handler read it when they publish. */
    private volatile @Nullable String running;

    private @Nullable RuntimeException verdict;

    /** Remembers them for the attempts of this delivery only. */
    Steps(Envelope message) {
        this.message = message;
        this.store = new InMemorySteps(message.id());
    }

    /** From now on, what is stored of them is encrypted. */
    void seal(Sealing how) {
        sealing = how;
    }

    /** Begins anew, with what is kept there. */
    void keepIn(HandlerStore other) {
        store = sealing == null ? other : new SealedSteps(other, sealing, message);
        usedInAttempt = Set.of();
        verdict = null;
    }

    @Nullable
    MessageRecord companion(RecordKey key) {
        return store.companion(key);
    }

    /** A result that nobody can read any more has decided that the handler does not run: what runs in its place uses no steps. */
    void forgetErasure() {
        if (verdict instanceof SubjectErasedException) {
            verdict = null;
        }
    }

    /** @throws RuntimeException the verdict, if there is one */
    void beginAgain() {
        requireUndecided();
        usedInAttempt = Set.of();
        try {
            store.beginAgain();
        } catch (RuntimeException e) {
            throw decided(e);
        }
    }

    /**
     * The name of the running step, or {@code null}. Publishing within a step is refused: an attempt that skips the step would
     * not publish.
     */
    @Nullable
    String running() {
        return running;
    }

    /**
     * Enforces the verdict about a step in doubt, whatever the handler or a middleware does with the exception. Wrapping it must
     * not lead to a retry, which would repeat a step that has been run; swallowing it must not complete the message.
     *
     * @throws RuntimeException the verdict, if there is one
     */
    void requireUndecided() {
        if (verdict != null) {
            throw verdict;
        }
    }

    <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
        requireUndecided();
        useName(name);
        String known = find(name);
        if (known != null) {
            return read(name, type, known);
        }
        StepResults.requireReadable(name, type);
        T result = run(name, step);
        if (result == null) {
            throw decided(new PoisonMessageException(
                    "Step [%s] returned null. The step has been run. Return a value, or use once(name, action) without a result."
                            .formatted(name)));
        }
        return read(name, type, store(name, result));
    }

    private <T, X extends Exception> T run(String name, Step<T, X> step) throws X {
        String surrounding = running;
        running = name;
        try {
            return step.run();
        } finally {
            running = surrounding;
        }
    }

    private @Nullable String find(String name) {
        try {
            String known = store.find(name);
            if (known != null && Sealing.isSealed(known)) {
                throw Sealing.byAnotherVersion("The result of step [%s]".formatted(name));
            }
            return known;
        } catch (NotHandledException | InvalidMessageException | UnknownKeyException | SubjectErasedException e) {
            throw decided(e);
        }
    }

    /** Any failure to store the result becomes the verdict: the step has run, and a retry would run it again. */
    private String store(String name, Object result) {
        try {
            String json = StepResults.write(name, result);
            store.store(name, json);
            return json;
        } catch (NotHandledException | InvalidMessageException | PoisonMessageException | UnknownKeyException e) {
            throw decided(e);
        }
    }

    /** Also right after the step: the first attempt gets what each later one would. */
    private <T> T read(String name, Class<T> type, String json) {
        try {
            return StepResults.read(name, type, json);
        } catch (PoisonMessageException e) {
            throw decided(e);
        }
    }

    private RuntimeException decided(RuntimeException failure) {
        verdict = failure;
        return failure;
    }

    private void useName(String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "Invalid step name [length=%s]: it must have 1 to %s characters, not only blanks."
                            .formatted(name.length(), LONGEST_NAME));
        }
        if (!Names.isUnicode(name)) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "Invalid step name [length=%s]: it contains an unpaired surrogate (half of a character), so the store could not tell it from other names. Cut text between characters, or use an id."
                            .formatted(name.length()));
        }
        if (usedInAttempt.isEmpty()) {
            usedInAttempt = new HashSet<>(4);
        }
        if (!usedInAttempt.add(name)) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "Step [%s] is used twice in one handling: the second would get the result of the first. Give each step a name of its own, for example with the number of the item."
                            .formatted(name));
        }
    }
}
