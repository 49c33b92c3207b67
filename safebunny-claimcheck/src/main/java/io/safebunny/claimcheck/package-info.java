// SPDX-License-Identifier: Apache-2.0
/** The claim check: puts large bodies into a store and fetches them again, and deletes them when nobody can ask for them any more. */
@NullMarked
package io.safebunny.claimcheck;

import org.jspecify.annotations.NullMarked;
