// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

/** Whose questions over the control exchange an instance answers. Nobody proves who asks, so this spares work more than it guards. */
public enum AnswersTo {
    /** Every instance on the broker. */
    ALL,
    /** Instances that say they are of the same node. */
    NODE,
    /** Nobody. Whoever asks is told so. */
    NONE
}
