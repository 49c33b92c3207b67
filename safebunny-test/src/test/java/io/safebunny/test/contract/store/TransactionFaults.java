// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.test.contract.bites.Faults;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.bites.Sabotage.Answer1;
import io.safebunny.test.contract.bites.Sabotage.Instead;
import io.safebunny.test.contract.store.LockingStore.Transaction;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Faults of stores with transactions. */
abstract class TransactionFaults extends Faults<BrokenTransactionsContract, LockingStore> {

    /** One that is planned for each transaction anew. */
    final void within(String name, String rule, Consumer<Sabotage<Transaction>> plan) {
        within(name, List.of(rule), plan);
    }

    final <A, R> Instead<Answer1<Transaction, A, R>> within(
            String name, String rule, Answer1<Transaction, A, R> operation) {
        return fault ->
                within(name, rule, transaction -> transaction.on(operation).instead(fault));
    }

    final void within(String name, List<String> rules, Consumer<Sabotage<Transaction>> plan) {
        withinAll(name, rules, test -> plan);
    }

    /** One that knows the test, or whose transactions share something. */
    final void withinAll(
            String name, String rule, Function<BrokenTransactionsContract, Consumer<Sabotage<Transaction>>> plan) {
        withinAll(name, List.of(rule), plan);
    }

    final void withinAll(
            String name,
            List<String> rules,
            Function<BrokenTransactionsContract, Consumer<Sabotage<Transaction>>> plan) {
        faultIn(name, rules, test -> {
            test.eachTransaction = plan.apply(test);
            return store -> {};
        });
    }
}
