// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

/** On which side of the operation a point lies. */
public enum Moment {
    BEFORE,
    AFTER
}
