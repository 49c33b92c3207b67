// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.test.contract.bites.Faults;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Faults against {@link SubjectKeysContract}. */
final class BrokenSubjectKeys extends Faults<BrokenSubjectKeysContract, SubjectKeys> {

    private static final long LONGEST_WAIT_MILLIS = 200;

    BrokenSubjectKeys() {
        fault("loses the key that wraps", "givesWhatWasAddedByPersonAndById", SubjectKeys::findById)
                .instead((real, id) -> {
                    SubjectKey found = real.findById(id);
                    return found == null || found.isErased()
                            ? found
                            : new SubjectKey(found.id(), found.subject(), "", found.sealed(), null);
                });
        Map<String, Long> most = new ConcurrentHashMap<>();
        fault("counts those that are erased", "countsByTheKeyUnderWhichTheyAreEncrypted", keys -> keys.on(
                        SubjectKeys::countByWrappingKey)
                .instead(real -> {
                    Map<String, Long> counts = Objects.requireNonNull(real.countByWrappingKey());
                    counts.forEach((key, count) -> most.merge(key, count, Math::max));
                    return Map.copyOf(most);
                }));
        fault("keeps a key that nobody uses", "aPersonHasOneKey", keys -> {
            Map<String, SubjectKey> all = new ConcurrentHashMap<>();
            keys.on(SubjectKeys::addIfAbsent).instead((real, fresh) -> {
                all.put(fresh.id(), fresh);
                return real.addIfAbsent(fresh);
            });
            keys.on(SubjectKeys::findById).instead((real, id) -> {
                SubjectKey found = real.findById(id);
                return found == null ? all.get(id) : found;
            });
        });
        Map<String, CountDownLatch> askers = new ConcurrentHashMap<>();
        fault("looks, and then adds", "ofManyWhoAddAtOnceAllGetTheSame", SubjectKeys::addIfAbsent)
                .instead((real, fresh) -> {
                    SubjectKey present = real.find(fresh.subject());
                    if (present != null) {
                        return present;
                    }
                    CountDownLatch second = askers.computeIfAbsent(fresh.subject(), person -> new CountDownLatch(2));
                    second.countDown();
                    boolean unused = second.await(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS);
                    SubjectKey ignored = real.addIfAbsent(fresh);
                    return fresh;
                });
        fault("takes everybody for erased", "oneThatIsErasedIsGoneAndStillKnown", SubjectKeys::findErased)
                .instead((real, subject) -> {
                    SubjectKey inUse = real.find(subject);
                    SubjectKey erased = real.findErased(subject);
                    return erased != null || inUse == null ? erased : inUse.erased(Instant.EPOCH);
                });
        fault(
                        "says that it erased what was gone",
                        "erasingMayBeRepeatedAndConcernPersonsWithoutAKey",
                        SubjectKeys::erase)
                .instead((real, subject, at) -> real.erase(subject, at) || real.findErased(subject) != null);
        fault(
                        "gives nobody a second key",
                        "aPersonWhoWasErasedGetsANewKeyAndTheOldOneStaysErased",
                        SubjectKeys::addIfAbsent)
                .instead((real, fresh) -> {
                    SubjectKey erased = real.findErased(fresh.subject());
                    return erased == null ? real.addIfAbsent(fresh) : erased;
                });
    }
}
