// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.MessageContext.Step;
import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.publishing.Handling;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.spi.serialization.MessageSerializer;
import io.safebunny.spi.serialization.SerializationException;
import io.safebunny.spi.store.RecordRefusedException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The handling of one message as its handler sees it: attempts, and steps that are done once. Confined to one thread. */
public final class Execution {

    private static final MessageSerializer JSON = JsonMessageSerializer.ofResults();

    private static final int LONGEST_NAME = 200;

    private final Handling handling;
    private final Steps steps;
    private final Runnable again;
    private final Set<String> usedInAttempt = new HashSet<>(0);
    private @Nullable RuntimeException verdict;

    /** @param again called before each attempt but the first */
    Execution(Handling handling, Steps steps, Runnable again) {
        this.handling = handling;
        this.steps = steps;
        this.again = again;
    }

    /** Without a store: steps are remembered for the in-memory retries of this delivery. */
    public static Execution inMemory(Handling handling) {
        Map<String, String> results = new HashMap<>(0);
        return new Execution(
                handling,
                new Steps() {
                    @Override
                    public @Nullable String find(String name) {
                        return results.get(name);
                    }

                    @Override
                    public void store(String name, String json) {
                        results.put(name, json);
                    }

                    @Override
                    public RuntimeException noAnswer(Handling message, RuntimeException e) {
                        return e; // nobody was asked
                    }
                },
                () -> {});
    }

    /**
     * Another attempt begins, within the same delivery.
     *
     * @throws RuntimeException how the handling ends
     */
    public void beginAgain() {
        requireUndecided();
        usedInAttempt.clear();
        try {
            again.run();
        } catch (RuntimeException e) { // there is nothing that a completion could be part of
            throw decided(e);
        }
    }

    /**
     * Whatever the handler, or a middleware around it, makes of the exception it was given: one that wraps it must not bring about a
     * retry, which would repeat a step that has been run, and one that goes on must not complete a message whose step is in doubt.
     *
     * @throws RuntimeException how this handling ends, unless that is the handler's own business
     */
    public void requireUndecided() {
        if (verdict != null) {
            throw verdict;
        }
    }

    /** See {@link io.safebunny.MessageContext#once(String, Class, Step)}. */
    public <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
        requireName(name);
        String known = answered(() -> steps.find(name));
        if (known != null) {
            return read(name, type, known);
        }
        requireReadable(name, type);
        T result = handling.withoutPublishing(name, step);
        if (result == null) {
            throw decided(new PoisonMessageException(
                    "Step [%s] returned null. The step has been run. Return a value, or use once(name, action) without a result."
                            .formatted(name)));
        }
        String json = write(name, result);
        String unused = answered(() -> {
            store(name, json);
            return json;
        });
        return result;
    }

    /** What else a store throws is not the handler's failure: it costs no attempt, and no step is repeated in memory. */
    private @Nullable String answered(Supplier<@Nullable String> question) {
        try {
            return question.get();
        } catch (BrokenTransactionException e) {
            throw e; // the handler's own failure: an attempt in memory has a new transaction
        } catch (NotHandledException | InvalidMessageException e) {
            throw decided(e);
        } catch (RuntimeException e) {
            throw decided(steps.noAnswer(handling, e));
        }
    }

    private void store(String name, String json) {
        try {
            steps.store(name, json);
        } catch (RecordRefusedException e) {
            throw Refused.because(
                    e,
                    "The result of step [%s] cannot be stored. The step has been run, and a replay runs it again. %s"
                            .formatted(name, e.messageWithoutCode()));
        }
    }

    private RuntimeException decided(RuntimeException failure) {
        verdict = failure;
        return failure;
    }

    private void requireName(String name) {
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
        if (!usedInAttempt.add(name)) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "Step [%s] is used twice in one handling: the second would get the result of the first. Give each step a name of its own, for example with the number of the item."
                            .formatted(name));
        }
    }

    /** Or it would show when the step has been run and must not be run again. */
    private static void requireReadable(String name, Class<?> type) {
        try {
            JSON.prepare(type);
        } catch (ConfigurationException e) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "The result of step [%s] could not be read when it is needed. %s %s"
                            .formatted(name, e.problem(), e.action()));
        }
    }

    private String write(String name, Object result) {
        try {
            byte[] json = JSON.serialize(result);
            Object unused =
                    JSON.deserialize(json, JsonNode.class); // or it would fail when the step must not be run again
            return new String(json, StandardCharsets.UTF_8);
        } catch (SerializationException e) {
            throw decided(new PoisonMessageException(
                    "The result of step [%s] cannot be stored: %s. The step has been run. Return something simple, such as an id."
                            .formatted(name, e.messageWithoutCode()),
                    e));
        }
    }

    private static <T> T read(String name, Class<T> type, String json) {
        try {
            Object value = JSON.deserialize(json.getBytes(StandardCharsets.UTF_8), type);
            @SuppressWarnings("unchecked") // a primitive's class reads its wrapper, so that cast() would refuse it
            T result = (T) value;
            return result;
        } catch (SerializationException e) {
            throw new PoisonMessageException(
                    "The stored result of step [%s] is no %s: %s. Its type has changed since it was stored; give the step a new name only if it may be run again."
                            .formatted(name, type.getName(), e.messageWithoutCode()),
                    e);
        }
    }
}
