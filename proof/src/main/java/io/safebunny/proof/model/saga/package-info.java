// SPDX-License-Identifier: Apache-2.0
/** The sagas that are compared with the model. */
@NullMarked
package io.safebunny.proof.model.saga;

import org.jspecify.annotations.NullMarked;
