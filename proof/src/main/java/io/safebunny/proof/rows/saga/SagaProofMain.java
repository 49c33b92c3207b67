// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.proof.rows.ProofReport;

/** Entry point of {@code bin/saga-proof}. */
final class SagaProofMain {

    private SagaProofMain() {}

    /** Those of {@link ProofReport#print}. */
    public static void main(String... arguments) {
        System.exit(ProofReport.print("saga-proof", SagaRows::new, arguments) ? 0 : 1);
    }
}
