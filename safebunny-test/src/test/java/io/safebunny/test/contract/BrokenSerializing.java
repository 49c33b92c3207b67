// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.test.contract.SerializerPayloads.Endless;
import io.safebunny.test.contract.SerializerPayloads.Everything;
import io.safebunny.test.contract.SerializerPayloads.Holder;
import io.safebunny.test.contract.SerializerPayloads.Refusing;
import io.safebunny.test.contract.SerializerPayloads.Text;
import io.safebunny.test.contract.bites.Faults;
import java.util.Arrays;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Faults in content types and in writing against {@link MessageSerializerContract}. */
final class BrokenSerializing extends Faults<BrokenSerializerContract, MessageSerializer> {

    private static final int LARGE = 100_000;

    BrokenSerializing() {
        contentTypes();
        payloads();
        bytes();
        refusals();
    }

    private void contentTypes() {
        fault("does not read what it writes", "readsItsOwnContentType", MessageSerializer::reads)
                .instead((real, type) -> !type.equals("application/json") && real.reads(type));
        fault(
                        "takes a content type letter by letter",
                        "ignoresCaseAndParametersOfAContentType",
                        MessageSerializer::reads)
                .instead((real, type) -> type.equals(real.contentType()));
        fault("looks for its name anywhere", "readsNoContentTypeThatIsNobodys", MessageSerializer::reads)
                .instead((real, type) -> real.reads(type) || type.contains("json"));
        fault("fails on a strange content type", "readsNoContentTypeThatIsNobodys", MessageSerializer::reads)
                .instead((real, type) -> {
                    if (type.isBlank()) {
                        throw new IllegalArgumentException("no content type");
                    }
                    return real.reads(type);
                });
        fault("wants classes only", "acceptsPayloadTypesAtTheStart", MessageSerializer::prepare)
                .instead((real, type) -> {
                    if (!(type instanceof Class)) {
                        throw new IllegalArgumentException("no class");
                    }
                });
    }

    private void payloads() {
        fault("writes numbers inexactly", "readsWhatItWrote", MessageSerializer::serialize)
                .instead((real, payload) -> real.serialize(
                        payload instanceof Everything all ? withNumber(all, (int) (float) all.large()) : payload));
        fault("cuts what is long", "readsALargePayload", MessageSerializer::serialize)
                .instead((real, payload) -> real.serialize(
                        payload instanceof Text text && text.text().length() > LARGE
                                ? new Text(text.text().substring(0, LARGE))
                                : payload));
        fault(
                        "turns halves of characters into question marks",
                        "keepsTextAsItIsOrRefusesIt",
                        MessageSerializer::serialize)
                .instead((real, payload) -> real.serialize(
                        payload instanceof Text text
                                ? new Text(new String(text.text().getBytes(UTF_8), UTF_8))
                                : payload));
    }

    private static Everything withNumber(Everything all, int number) {
        return new Everything(
                all.text(),
                number,
                all.large(),
                all.fraction(),
                all.flag(),
                all.kind(),
                all.amount(),
                all.huge(),
                all.lines(),
                all.byName(),
                all.none());
    }

    private void bytes() {
        fault("writes equal payloads differently", "writesEqualPayloadsAsEqualBytes", serializer -> {
            AtomicInteger written = new AtomicInteger();
            serializer.on(MessageSerializer::serialize).instead((real, payload) -> {
                String space = " ".repeat(payload instanceof Everything ? written.incrementAndGet() : 0);
                return (space + new String(real.serialize(payload), UTF_8)).getBytes(UTF_8);
            });
        });
        fault("uses its buffer again", "givesAwayBytesAndChangesNone", serializer -> {
            AtomicReference<byte[]> buffer = new AtomicReference<>(new byte[0]);
            serializer.on(MessageSerializer::serialize).instead((real, payload) -> {
                byte[] body = real.serialize(payload);
                byte[] before = buffer.getAndSet(body);
                if (payload.equals(new Text("another"))) {
                    Arrays.fill(before, (byte) 0);
                }
                return body;
            });
        });
        fault("writes the class beside the value", "writesNoClassNames", MessageSerializer::serialize)
                .instead((real, payload) -> {
                    byte[] body = real.serialize(payload);
                    return payload instanceof Holder
                            ? ("{\"@class\":\"%s\",".formatted(Text.class.getName())
                                            + new String(body, UTF_8).substring(1))
                                    .getBytes(UTF_8)
                            : body;
                });
        fault("gives two threads that write at once each other's bytes", "isUsedByManyThreadsAtOnce", serializer -> {
            Exchanger<Object> buffer = new Exchanger<>();
            serializer.on(MessageSerializer::serialize).instead((real, payload) -> {
                try {
                    return real.serialize(buffer.exchange(payload, 20, TimeUnit.MILLISECONDS));
                } catch (TimeoutException e) {
                    return real.serialize(payload);
                }
            });
        });
    }

    private void refusals() {
        fault("follows a circle", "writesAPayloadOrRefusesIt", MessageSerializer::serialize)
                .instead((real, payload) -> {
                    if (payload instanceof Endless) {
                        throw new StackOverflowError();
                    }
                    return real.serialize(payload);
                });
        fault("quotes the payload that it refuses", "tellsNothingOfThePayload", MessageSerializer::serialize)
                .instead((real, payload) -> {
                    if (payload instanceof Refusing) {
                        throw new SerializationException("no " + SerializerPayloads.SECRET, null);
                    }
                    return real.serialize(payload);
                });
    }
}
