// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.proof.rows.ProofReport;

/** Entry point of {@code bin/order-proof}. */
final class OrderProofMain {

    private OrderProofMain() {}

    /** Those of {@link ProofReport#print}. */
    public static void main(String... arguments) {
        System.exit(ProofReport.print("order-proof", project -> new OrderRows(), arguments) ? 0 : 1);
    }
}
