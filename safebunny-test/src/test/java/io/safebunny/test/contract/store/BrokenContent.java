// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.message.WireMessage;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.bites.Wire;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Faults against {@link ContentRules}. */
final class BrokenContent extends StoreFaults {

    BrokenContent() {
        fields();
        trails();
        publications();
        sizes();
    }

    private void fields() {
        fault(
                "takes undone for dispatched",
                "keepsTheState",
                altering(r -> r.state() == RecordState.UNDONE ? withState(r, RecordState.DISPATCHED) : r));
        fault(
                "cuts leases to seconds",
                "keepsEveryField",
                altering(r -> with(r, r.key(), r.lease().truncatedTo(ChronoUnit.SECONDS), r.fingerprint())));
        fault(
                "cuts fingerprints",
                "keepsEveryField",
                alteringFingerprints(f -> new Fingerprint(f.version(), f.high(), f.low() & 0xFFFF_FFFFL)));
        fault(
                "takes all fingerprints for new",
                "keepsEveryField",
                alteringFingerprints(f -> new Fingerprint(Fingerprint.SHA256, f.high(), f.low())));
        fault("cuts attempts", "keepsEveryField", altering(r -> r.withAttempt((short) r.attempt())));
        fault(
                "ignores the case of steps",
                "keepsSteps",
                altering(r -> r.withSteps(r.steps().entrySet().stream()
                        .collect(Collectors.toMap(
                                step -> step.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue, (a, b) -> a)))));
    }

    private void trails() {
        fault(
                "keeps the latest failure only",
                "keepsTheTrail",
                altering(r -> r.trail().failures().size() < 2 ? r : r.withTrail(withLatest(r.trail()))));
        fault(
                "takes trails for steps",
                "keepsTheTrail",
                altering(r -> r.trail().equals(Trail.NONE)
                        ? r
                        : r.withTrail(Trail.NONE).withSteps(withTrailAsStep(r.content()))));
    }

    private static Trail withLatest(Trail trail) {
        return Trail.of(trail.type())
                .with(trail.failures()
                        .subList(trail.failures().size() - 1, trail.failures().size()));
    }

    private static Map<String, String> withTrailAsStep(Map<String, String> content) {
        Map<String, String> steps = new LinkedHashMap<>(content);
        steps.put("trail", Objects.requireNonNull(steps.remove("")));
        return steps;
    }

    private void publications() {
        fault(
                "sorts publications",
                "keepsTheOrderOfPublications",
                alteringPublications(all -> all.size() <= 10
                        ? all
                        : all.stream()
                                .sorted(Comparator.comparing(
                                        m -> String.valueOf(m.message().messageId())))
                                .toList()));
        fault(
                "cuts delays to seconds",
                "keepsRoutesAndDelays",
                alteringEach(m ->
                        new OutboundMessage(m.message(), m.route(), m.delay().truncatedTo(ChronoUnit.SECONDS))));
        fault(
                "takes poison for a queue",
                "keepsRoutesAndDelays",
                alteringEach(m -> m.route() instanceof Route.Poison p
                        ? new OutboundMessage(m.message(), new Route.ToQueue(p.node()), m.delay())
                        : m));
        fault(
                "invents a content type",
                "keepsPropertiesPresentAndAbsent",
                alteringMessages(m -> m.contentType() == null ? Wire.with(m, "", m.body()) : m));
        fault(
                "turns small longs into ints",
                "keepsTheTypesOfHeaders",
                alteringMessages(m -> Wire.withValues(
                        m,
                        value -> value instanceof Long number && number.intValue() == number
                                ? number.intValue()
                                : value)));
        fault(
                "drops byte order marks",
                "keepsBodiesByteByByte",
                alteringMessages(m -> m.body().length < 3 || m.body()[0] != (byte) 0xEF
                        ? m
                        : Wire.with(m, m.contentType(), Arrays.copyOfRange(m.body(), 3, m.body().length))));
    }

    private void sizes() {
        fault("holds half a megabyte", "holdsAMegabyte", MessageStore::replace).instead((real, record) -> {
            if (LimitedStore.size(record) > 1 << 19) {
                throw new RecordTooLargeException(record.key(), LimitedStore.size(record), 1 << 19);
            }
            return real.replace(record);
        });
        fault("notices too late", "refusesWhatIsTooLargeAndKeepsWhatIsThere", MessageStore::replace)
                .instead((real, record) -> {
                    try {
                        return real.replace(record);
                    } catch (RecordTooLargeException e) {
                        real.replace(withOutgoing(record, List.of()).withSteps(Map.of()));
                        throw e;
                    }
                });
        fault("takes a refusal for an outage", "refusesForGoodWhatItCanNeverStoreAndNothingElse", MessageStore::replace)
                .instead((real, record) -> {
                    try {
                        return real.replace(record);
                    } catch (RecordTooLargeException e) {
                        throw e;
                    } catch (RecordRefusedException e) {
                        throw new StoreUnavailableException("the store refused it", null, e);
                    }
                });
        fault(
                "cuts what does not fit",
                "refusesForGoodWhatItCanNeverStoreAndNothingElse",
                altering(r -> r.owner().length() <= 100
                        ? r
                        : r.claimedBy(r.owner().substring(0, 100), r.lease(), r.attempt(), r.takeovers())
                                .withVersion(r.version())));
    }

    private static Consumer<Sabotage<MessageStore>> alteringFingerprints(UnaryOperator<Fingerprint> change) {
        return altering(r -> with(r, r.key(), r.lease(), change.apply(r.fingerprint())));
    }

    private static MessageRecord withOutgoing(MessageRecord record, List<OutboundMessage> outgoing) {
        return record.next(record.state(), outgoing).withVersion(record.version());
    }

    private static Consumer<Sabotage<MessageStore>> alteringPublications(UnaryOperator<List<OutboundMessage>> change) {
        return altering(record -> withOutgoing(record, change.apply(record.outgoing())));
    }

    private static Consumer<Sabotage<MessageStore>> alteringEach(UnaryOperator<OutboundMessage> change) {
        return alteringPublications(all -> all.stream().map(change).toList());
    }

    private static Consumer<Sabotage<MessageStore>> alteringMessages(UnaryOperator<WireMessage> change) {
        return alteringEach(m -> new OutboundMessage(change.apply(m.message()), m.route(), m.delay()));
    }
}
