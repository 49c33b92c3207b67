// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.proof.rows.ProofReport;

/** Entry point of {@code bin/bodies-proof}. */
final class BodiesProofMain {

    private BodiesProofMain() {}

    /** Those of {@link ProofReport#print}. */
    public static void main(String... arguments) {
        System.exit(ProofReport.print("bodies-proof", project -> new BodyRows(), arguments) ? 0 : 1);
    }
}
