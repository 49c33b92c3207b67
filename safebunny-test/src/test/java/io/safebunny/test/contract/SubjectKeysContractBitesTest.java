// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.test.contract.bites.ContractBites;

class SubjectKeysContractBitesTest extends ContractBites {

    SubjectKeysContractBitesTest() {
        super(SubjectKeysContract.class, BrokenSubjectKeysContract.class, new BrokenSubjectKeys());
    }
}
