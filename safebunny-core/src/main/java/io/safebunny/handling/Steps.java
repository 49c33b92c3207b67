// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.MessageContext.Step;
import io.safebunny.PoisonMessageException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.recovery.NotHandledException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The steps of one message that are done once, and how its handling ends when one of them is in doubt. Confined to one thread. */
final class Steps {

    private static final int LONGEST_NAME = 200;

    private final StepStore store;
    private Set<String> usedInAttempt = Set.of();
    /** Other threads of the handler look at it when they publish. */
    private volatile @Nullable String running;

    private @Nullable RuntimeException verdict;

    Steps(StepStore store) {
        this.store = store;
    }

    /** @throws RuntimeException how the handling ends */
    void beginAgain() {
        requireUndecided();
        usedInAttempt = Set.of();
        try {
            store.beginAgain();
        } catch (RuntimeException e) {
            throw decided(e);
        }
    }

    /** The step that is being run: what it published, an attempt that skips it would not. */
    @Nullable
    String running() {
        return running;
    }

    /** See {@link Handling#requireUndecided()}. */
    void requireUndecided() {
        if (verdict != null) {
            throw verdict;
        }
    }

    <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
        useName(name);
        String known = find(name);
        if (known != null) {
            return StepResults.read(name, type, known);
        }
        StepResults.requireReadable(name, type);
        T result = run(name, step);
        if (result == null) {
            throw decided(new PoisonMessageException(
                    "Step [%s] returned null. The step has been run. Return a value, or use once(name, action) without a result."
                            .formatted(name)));
        }
        store(name, result);
        return result;
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
            return store.find(name);
        } catch (NotHandledException | InvalidMessageException e) {
            throw decided(e);
        }
    }

    /** The step has been run: whatever keeps its result from being stored, a retry would run it again. */
    private void store(String name, Object result) {
        try {
            store.store(name, StepResults.write(name, result));
        } catch (NotHandledException | InvalidMessageException | PoisonMessageException e) {
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
                    "Invalid step name [length=%d]: it must have 1 to %d characters, not only blanks."
                            .formatted(name.length(), LONGEST_NAME));
        }
        if (!Names.isUnicode(name)) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "Invalid step name [length=%d]: it has an unpaired surrogate, half of a character, and the store could not tell it from others. Cut text between characters, or use an id."
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
