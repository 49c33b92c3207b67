// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** One broken store at least for each rule. */
class MessageStoreContractBitesTest {

    private static final ContractBites BITES = new ContractBites(
            MessageStoreContract.class,
            BrokenStoreContract.class,
            BrokenRecords.class,
            BrokenContent.class,
            BrokenLookups.class,
            BrokenJointWrites.class);

    @BeforeAll
    static void runTheContractOnAllOfThem() {
        BITES.run();
    }

    @TestFactory
    Stream<DynamicTest> eachFaultIsFoundByTheRuleItBreaksAndByNoOther() {
        return BITES.eachFaultIsFoundByTheRuleItBreaksAndByNoOther();
    }

    @Test
    void everyRuleIsBroken() {
        BITES.everyRuleIsBroken();
    }
}
