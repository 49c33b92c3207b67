// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.trace;

import io.safebunny.message.MessageTypes;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.test.harness.Happening;
import io.safebunny.test.harness.Happening.Kind;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/** Assertions on what happened to messages. A failure prints the whole trace. */
public final class MessageTraceAssert extends AbstractAssert<MessageTraceAssert, MessageTrace> {

    MessageTraceAssert(MessageTrace actual) {
        super(actual, MessageTraceAssert.class);
    }

    /** This many messages of the type were published, by any node; copies of a message count once. */
    public MessageTraceAssert published(Class<?> type, int times) {
        return times(Kind.PUBLISHED, type, times, "published");
    }

    /** No message of the type was published. */
    public MessageTraceAssert never(Class<?> type) {
        return published(type, 0);
    }

    /** The application has completely handled this many messages of the type; copies of a message count once. */
    public MessageTraceAssert handled(Class<?> type, int times) {
        return times(Kind.COMPLETED, type, times, "handled");
    }

    /** Messages of the type had this many delayed retries in total. In-memory retries do not count. */
    public MessageTraceAssert retried(Class<?> type, int times) {
        List<Happening> found = found(Kind.RETRIED, type);
        if (found.size() != times) {
            fail("%s retried %s times, and not %s times".formatted(nameOf(type), found.size(), times));
        }
        return this;
    }

    /** A message of the type is in the poison queue. */
    public MessageTraceAssert setAside(Class<?> type) {
        if (found(Kind.SET_ASIDE, type).isEmpty()) {
            fail("no %s set aside".formatted(nameOf(type)));
        }
        return this;
    }

    /** @param reason as in the header {@code sb-poison-reason} */
    public MessageTraceAssert setAside(Class<?> type, String reason) {
        setAside(type);
        if (found(Kind.SET_ASIDE, type).stream()
                .noneMatch(happening -> happening.detail().split(",", 2)[0].equals(reason))) {
            fail("no %s set aside because of %s".formatted(nameOf(type), reason));
        }
        return this;
    }

    /** No message was set aside. */
    public MessageTraceAssert nothingSetAside() {
        requireComplete();
        if (actual.happenings().stream().anyMatch(happening -> happening.kind() == Kind.SET_ASIDE)) {
            fail("messages were set aside");
        }
        return this;
    }

    /** The status of the {@code @BunnySaga} with this id. */
    public MessageTraceAssert status(SagaStatus expected) {
        requireComplete();
        List<SagaView> sagas = actual.sagas();
        if (sagas.size() != 1 || sagas.get(0).status() != expected) {
            fail("%s expected, and found %s"
                    .formatted(
                            expected,
                            sagas.stream()
                                    .map(saga -> "%s %s%s"
                                            .formatted(
                                                    saga.saga(),
                                                    saga.status(),
                                                    saga.reason() == null ? "" : " because of " + saga.reason()))
                                    .toList()));
        }
        return this;
    }

    private MessageTraceAssert times(Kind kind, Class<?> type, int times, String verb) {
        long found =
                found(kind, type).stream().map(Happening::messageId).distinct().count();
        if (found != times) {
            fail("%s %s %s, and not %s".formatted(found, nameOf(type), verb, times));
        }
        return this;
    }

    private List<Happening> found(Kind kind, Class<?> type) {
        requireComplete();
        String name = nameOf(type);
        return actual.happenings().stream()
                .filter(happening ->
                        happening.kind() == kind && happening.type().equals(name))
                .toList();
    }

    private static String nameOf(Class<?> type) {
        return MessageTypes.nameOf(type);
    }

    private void requireComplete() {
        isNotNull();
        if (!actual.isComplete()) {
            fail("The application had work left: call runUntilIdle() before looking");
        }
    }

    private void fail(String what) {
        failWithMessage("%s", "%s%n%s".formatted(what, actual));
    }
}
