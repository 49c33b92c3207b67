// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** One broken transport at least for each rule. */
class TransportContractBitesTest {

    private static final ContractBites BITES = new ContractBites(
            TransportContract.class,
            BrokenTransportContract.class,
            BrokenRouting.class,
            BrokenFidelity.class,
            BrokenConsuming.class,
            BrokenPace.class,
            BrokenDelays.class);

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
