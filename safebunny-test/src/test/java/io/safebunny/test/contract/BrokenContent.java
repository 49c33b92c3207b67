// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.message.WireMessage;
import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.RecordTooLargeException;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One fault each against {@link ContentRules}. */
final class BrokenContent {

    private BrokenContent() {}

    @Breaks("keepsTheState")
    static class TakesPoisonedForDispatched extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> r.state() == RecordState.POISONED
                    ? with(r, RecordState.DISPATCHED, r.attempt(), r.lease(), r.fingerprint(), r.steps())
                    : r);
        }
    }

    @Breaks("keepsEveryField")
    static class CutsLeasesToSeconds extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> with(
                    r, r.state(), r.attempt(), r.lease().truncatedTo(ChronoUnit.SECONDS), r.fingerprint(), r.steps()));
        }
    }

    @Breaks("keepsEveryField")
    static class CutsFingerprints extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> withFingerprint(
                    r,
                    new Fingerprint(
                            r.fingerprint().version(),
                            r.fingerprint().high(),
                            r.fingerprint().low() & 0xFFFF_FFFFL)));
        }
    }

    @Breaks("keepsEveryField")
    static class TakesAllFingerprintsForNew extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> withFingerprint(
                    r,
                    new Fingerprint(
                            Fingerprint.SHA256,
                            r.fingerprint().high(),
                            r.fingerprint().low())));
        }
    }

    @Breaks("keepsEveryField")
    static class CutsAttempts extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> with(r, r.state(), (short) r.attempt(), r.lease(), r.fingerprint(), r.steps()));
        }
    }

    @Breaks("keepsSteps")
    static class IgnoresTheCaseOfSteps extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> with(
                    r,
                    r.state(),
                    r.attempt(),
                    r.lease(),
                    r.fingerprint(),
                    r.steps().entrySet().stream()
                            .collect(Collectors.toMap(
                                    step -> step.getKey().toLowerCase(Locale.ROOT),
                                    Map.Entry::getValue,
                                    (a, b) -> a))));
        }
    }

    @Breaks("keepsTheOrderOfPublications")
    static class SortsPublications extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> r.outgoing().size() <= 10
                    ? r
                    : withOutgoing(
                            r,
                            r.outgoing().stream()
                                    .sorted(Comparator.comparing(
                                            m -> String.valueOf(m.message().messageId())))
                                    .toList()));
        }
    }

    @Breaks("keepsRoutesAndDelays")
    static class CutsDelaysToSeconds extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> withOutgoing(
                    r,
                    mapped(
                            r,
                            m -> new OutboundMessage(
                                    m.message(), m.route(), m.delay().truncatedTo(ChronoUnit.SECONDS)))));
        }
    }

    @Breaks("keepsRoutesAndDelays")
    static class TakesPoisonForAQueue extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> withOutgoing(
                    r,
                    mapped(
                            r,
                            m -> new OutboundMessage(
                                    m.message(),
                                    m.route() instanceof Route.Poison p ? new Route.ToQueue(p.node()) : m.route(),
                                    m.delay()))));
        }
    }

    @Breaks("keepsPropertiesPresentAndAbsent")
    static class InventsAContentType extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> withOutgoing(
                    r,
                    messages(
                            r,
                            m -> m.contentType() != null
                                    ? m
                                    : new WireMessage(
                                            m.messageId(),
                                            m.correlationId(),
                                            m.type(),
                                            m.appId(),
                                            m.timestamp(),
                                            "",
                                            m.contentEncoding(),
                                            m.headers(),
                                            m.body()))));
        }
    }

    @Breaks("keepsTheTypesOfHeaders")
    static class TurnsSmallLongsIntoInts extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> withOutgoing(
                    r,
                    messages(
                            r,
                            m -> m.withHeaders(m.headers().entrySet().stream()
                                    .collect(Collectors.toMap(
                                            Map.Entry::getKey,
                                            header -> header.getValue() instanceof Long number
                                                            && number.intValue() == number
                                                    ? number.intValue()
                                                    : header.getValue()))))));
        }
    }

    @Breaks("keepsBodiesByteByByte")
    static class DropsByteOrderMarks extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> withOutgoing(
                    r,
                    messages(
                            r,
                            m -> m.body().length < 3 || m.body()[0] != (byte) 0xEF
                                    ? m
                                    : new WireMessage(
                                            m.messageId(),
                                            m.correlationId(),
                                            m.type(),
                                            m.appId(),
                                            m.timestamp(),
                                            m.contentType(),
                                            m.contentEncoding(),
                                            m.headers(),
                                            Arrays.copyOfRange(m.body(), 3, m.body().length)))));
        }
    }

    @Breaks("holdsAMegabyte")
    static class HoldsHalfAMegabyte extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    if (LimitedStore.size(record) > 1 << 19) {
                        throw new RecordTooLargeException(record.key(), LimitedStore.size(record), 1 << 19);
                    }
                    return super.replace(record);
                }
            };
        }
    }

    @Breaks("refusesWhatIsTooLargeAndKeepsWhatIsThere")
    static class NoticesTooLate extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    try {
                        return super.replace(record);
                    } catch (RecordTooLargeException e) {
                        super.replace(withOutgoing(record, List.of()).withSteps(Map.of()));
                        throw e;
                    }
                }
            };
        }
    }

    @Breaks("refusesForGoodWhatItCanNeverStoreAndNothingElse")
    static class TakesARefusalForAnOutage extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    try {
                        return super.replace(record);
                    } catch (RecordTooLargeException e) {
                        throw e;
                    } catch (RecordRefusedException e) {
                        throw new StoreUnavailableException("the store refused it", null, e);
                    }
                }
            };
        }
    }

    @Breaks("refusesForGoodWhatItCanNeverStoreAndNothingElse")
    static class CutsWhatDoesNotFit extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return altering(r -> r.owner().length() <= 100
                    ? r
                    : r.claimedBy(r.owner().substring(0, 100), r.lease(), r.attempt(), r.takeovers())
                            .withVersion(r.version()));
        }
    }

    private static MessageRecord withFingerprint(MessageRecord r, Fingerprint fingerprint) {
        return BrokenStoreContract.with(r, r.state(), r.attempt(), r.lease(), fingerprint, r.steps());
    }

    private static MessageRecord withOutgoing(MessageRecord r, List<OutboundMessage> outgoing) {
        return new MessageRecord(
                r.key(),
                r.state(),
                r.owner(),
                r.version(),
                r.attempt(),
                r.takeovers(),
                r.lease(),
                r.fingerprint(),
                r.steps(),
                outgoing,
                r.etag());
    }

    private static List<OutboundMessage> mapped(MessageRecord record, UnaryOperator<OutboundMessage> change) {
        return record.outgoing().stream().map(change).toList();
    }

    private static List<OutboundMessage> messages(MessageRecord record, UnaryOperator<WireMessage> change) {
        return mapped(record, m -> new OutboundMessage(change.apply(m.message()), m.route(), m.delay()));
    }
}
