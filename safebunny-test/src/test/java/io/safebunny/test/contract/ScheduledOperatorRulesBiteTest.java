// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.contract.bites.ContractBites;
import io.safebunny.test.contract.bites.Faults;
import java.time.Instant;
import org.junit.jupiter.api.Tag;

@Tag("once")
class ScheduledOperatorRulesBiteTest extends ContractBites {

    ScheduledOperatorRulesBiteTest() {
        super(ScheduledOperatorRules.class, BrokenScheduledContract.class, new BrokenWrites());
    }

    /** Writes over what others have written, and lists too little. */
    private static final class BrokenWrites extends Faults<BrokenScheduledContract, MessageStore> {

        BrokenWrites() {
            fault(
                            "writes together over what was changed",
                            "whatAnOperatorHasChangedIsNotPublishedByWhoReadItBefore",
                            MessageStore::writeTogether)
                    .instead((real, records) -> {
                        JointWrite written = real.writeTogether(records);
                        return written instanceof JointWrite.Overtaken
                                ? real.writeTogether(records.stream()
                                        .map(record -> over(real, record))
                                        .toList())
                                : written;
                    });
            fault("replaces what was changed", "whatIsPublishedIsNotChangedByWhoReadItBefore", MessageStore::replace)
                    .instead((real, record) -> {
                        MessageRecord written = real.replace(record);
                        return written == null && record.key().isShared() ? real.replace(over(real, record)) : written;
                    });
            fault(
                            "leaves out those of the first moment",
                            "listsWhatWaitsInTheOrderInWhichItIsDue",
                            MessageStore::findListed)
                    .instead((real, query) -> {
                        Instant from = query.createdFrom();
                        return real.findListed(new ListingQuery(
                                query.kind(),
                                query.status(),
                                from == null ? null : from.plusMillis(1),
                                query.createdBefore(),
                                query.limit()));
                    });
        }

        private static MessageRecord over(MessageStore real, MessageRecord record) {
            MessageRecord found = real.find(record.key());
            return found == null || !record.key().isShared() ? record : record.withVersion(found.version() + 1);
        }
    }
}
