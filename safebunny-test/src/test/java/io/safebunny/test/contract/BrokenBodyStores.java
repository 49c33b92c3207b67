// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.test.contract.bites.Faults;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Faults against {@link BodyStoreContract}. */
final class BrokenBodyStores extends Faults<BrokenBodyStoreContract, BodyStore> {

    BrokenBodyStores() {
        fault("has a name with a colon", "itsNameCanBeInAReference", store -> store.on(BodyStore::name)
                .instead(real -> "memory:1"));
        fault("has room for four megabytes", "givesWhatWasPut", BodyStore::put).instead((real, reference, body) -> {
            real.put(reference, body.length > 4 << 20 ? Arrays.copyOf(body, 4 << 20) : body);
        });
        fault("takes an id for a path", "takesEveryKey", BodyStore::open).instead((real, reference) -> {
            return reference.messageId().startsWith("..") ? null : real.open(reference);
        });
        fault("gives one stream to all readers", "givesItAgainFromItsBeginning", store -> {
            Map<BodyReference, InputStream> streams = new ConcurrentHashMap<>();
            store.on(BodyStore::open).instead((real, reference) -> {
                InputStream mine = real.open(reference);
                return !reference.messageId().equals("again") || mine == null
                        ? mine
                        : streams.computeIfAbsent(reference, key -> mine);
            });
        });
        fault("looks for the digest alone", "hasNothingThatWasNotPut", store -> {
            Map<String, byte[]> bodies = new ConcurrentHashMap<>();
            store.on(BodyStore::put).instead((real, reference, body) -> {
                if (reference.messageId().equals("there")) {
                    bodies.put(reference.sha256(), body);
                }
                real.put(reference, body);
            });
            store.on(BodyStore::open).instead((real, reference) -> {
                byte[] found = bodies.get(reference.sha256());
                return found == null ? real.open(reference) : new ByteArrayInputStream(found);
            });
        });
        fault("appends", "takesABodyThatIsThere", store -> {
            Set<BodyReference> put = ConcurrentHashMap.newKeySet();
            store.on(BodyStore::put).instead((real, reference, body) -> {
                boolean appends = !put.add(reference) && reference.messageId().equals("twice");
                real.put(reference, appends ? Arrays.copyOf(body, 2 * body.length) : body);
            });
        });
        fault("writes in two parts", "nobodySeesAPartOfABody", store -> {
            Set<BodyReference> begun = ConcurrentHashMap.newKeySet();
            store.on(BodyStore::put).instead((real, reference, body) -> {
                boolean isFirst = begun.add(reference) && reference.messageId().startsWith("parts");
                real.put(reference, isFirst ? Arrays.copyOf(body, body.length / 2) : body);
            });
        });
        fault("deletes everything", "deletesWhatIsOlderAndNothingElse", BodyStore::deleteOlderThan)
                .instead((real, limit, most) -> most == 1_000
                        ? real.deleteOlderThan(limit.plusSeconds(7_200), most)
                        : real.deleteOlderThan(limit, most));
        fault("knows no bounds", "deletesAsManyAsItMay", BodyStore::deleteOlderThan)
                .instead((real, limit, most) -> real.deleteOlderThan(limit, Integer.MAX_VALUE));
        fault("leaves what is there as it is", "whatIsPutAgainCountsAsPutNow", store -> {
            Set<BodyReference> put = ConcurrentHashMap.newKeySet();
            store.on(BodyStore::put).instead((real, reference, body) -> {
                if (put.add(reference) || reference.messageId().startsWith("parts")) {
                    real.put(reference, body);
                }
            });
        });
    }
}
