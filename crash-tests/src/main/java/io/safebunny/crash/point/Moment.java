// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.point;

/** Beside what. */
public enum Moment {
    BEFORE,
    AFTER
}
