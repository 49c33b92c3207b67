// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** One broken store at least for each rule of transactions. */
class TransactionalStoreContractBitesTest {

    private static final ContractBites BITES = new ContractBites(
            TransactionalStoreContract.class,
            BrokenTransactionsContract.class,
            BrokenTransactions.class,
            BrokenWaiting.class,
            BrokenApart.class);

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
